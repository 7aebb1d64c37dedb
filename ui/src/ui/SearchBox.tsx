import type { Ref } from 'react'
import { Kbd } from './Button'
import { Icon } from './Icon'

interface SearchBoxProps {
  label: string
  value: string
  onChange: (value: string) => void
  inputRef?: Ref<HTMLInputElement>
  /** Arrow down leaves the box for the list. */
  onLeave?: () => void
}

export function SearchBox({ label, value, onChange, inputRef, onLeave }: SearchBoxProps) {
  return (
    <div className="relative w-56 max-w-full">
      <Icon name="search" className="pointer-events-none absolute start-2 top-2 text-faint" />
      <input
        ref={inputRef}
        type="text"
        role="searchbox"
        className="input min-h-[1.875rem]! ps-7! pe-7!"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={label}
        value={value}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            if (value) onChange('')
            else event.currentTarget.blur()
            event.stopPropagation()
          }
          if ((event.key === 'ArrowDown' || event.key === 'Enter') && onLeave) {
            event.preventDefault()
            onLeave()
          }
        }}
      />
      {!value && (
        <span className="pointer-events-none absolute end-2 top-1.5">
          <Kbd>/</Kbd>
        </span>
      )}
    </div>
  )
}
