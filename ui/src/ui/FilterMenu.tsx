import { Menu } from '@base-ui/react/menu'
import { useT } from '@/messages'
import { Icon } from './Icon'

interface FilterMenuProps<T extends string> {
  name: string
  value: T | null
  options: readonly { value: T; label: string; count: number }[]
  onChange: (value: T | null) => void
}

const ANY = ''

/** A filter as a button that names its value and opens the values that occur. */
export function FilterMenu<T extends string>({ name, value, options, onChange }: FilterMenuProps<T>) {
  const t = useT()
  const chosen = options.find((option) => option.value === value)
  const label = t('recipients.filter.value', { name, value: chosen?.label ?? value ?? t('common.any') })
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        className="btn"
        style={value === null ? undefined : { borderColor: 'var(--accent)', color: 'var(--accent)' }}
      >
        {label}
        <Icon name="chevron" size={12} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="z-30" sideOffset={4} align="start">
          <Menu.Popup className="menu">
            <Menu.RadioGroup
              value={value ?? ANY}
              onValueChange={(next: string) => onChange(next === ANY ? null : (next as T))}
            >
              {[{ value: ANY, label: t('common.any'), count: -1 }, ...options].map((option) => (
                <Menu.RadioItem key={option.value} value={option.value} className="menu-item" closeOnClick>
                  <span className="w-3.5">
                    <Menu.RadioItemIndicator>
                      <Icon name="check" />
                    </Menu.RadioItemIndicator>
                  </span>
                  {option.label}
                  {option.count >= 0 && <span className="count">{option.count}</span>}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
