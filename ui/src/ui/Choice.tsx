import { type ReactNode, useId } from 'react'

interface Option<T extends string> {
  value: T
  label: string
  text?: string
  extra?: ReactNode
}

interface ChoiceProps<T extends string> {
  label: string
  value: T | null
  options: readonly Option<T>[]
  onChange: (value: T) => void
  hideLabel?: boolean
  testId?: string
}

/** Radio buttons as cards, each with a sentence. */
export function Choices<T extends string>({ label, value, options, onChange, hideLabel, testId }: ChoiceProps<T>) {
  const name = useId()
  return (
    <fieldset className="flex flex-col gap-2" data-testid={testId}>
      <legend className={hideLabel ? 'sr-only' : 'label mb-1.5'}>{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="choice">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span className="min-w-0">
            <span className="font-medium wrap-anywhere">{option.label}</span>
            {option.text && <span className="hint block">{option.text}</span>}
            {option.extra}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** Radio buttons side by side, for two or three short words. */
export function Segments<T extends string>({ label, value, options, onChange, hideLabel, testId }: ChoiceProps<T>) {
  const name = useId()
  return (
    <fieldset data-testid={testId}>
      <legend className={hideLabel ? 'sr-only' : 'label mb-1'}>{label}</legend>
      <div className="segments">
        {options.map((option) => (
          <label key={option.value} className="relative">
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
