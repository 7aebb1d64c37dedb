import { type ComponentProps, type ReactNode, useId } from 'react'
import { Icon } from './Icon'

interface Around {
  label: ReactNode
  hint?: ReactNode
  problem?: string | null
  /** Shown after the label, as in "optional". */
  aside?: string
}

type InputProps = Around & Omit<ComponentProps<'input'>, 'id'> & { testId?: string }

function describe(id: string, hint: ReactNode, problem: string | null | undefined): string | undefined {
  const ids = [hint ? `${id}-hint` : '', problem ? `${id}-problem` : ''].filter(Boolean)
  return ids.length > 0 ? ids.join(' ') : undefined
}

function Shell({ id, label, hint, problem, aside, children }: Around & { id: string; children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {aside && <span className="ms-2 font-normal text-faint">{aside}</span>}
      </label>
      {children}
      {problem && <Problem id={`${id}-problem`}>{problem}</Problem>}
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  )
}

/** A sentence in red with its icon, announced when it appears. */
export function Problem({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <span className="problem" id={id} role="alert">
      <Icon name="warn" size={13} />
      <span>{children}</span>
    </span>
  )
}

export function TextField({ label, hint, problem, aside, testId, className, ...rest }: InputProps) {
  const id = useId()
  return (
    <Shell id={id} label={label} hint={hint} problem={problem} aside={aside}>
      <input
        type="text"
        autoComplete="off"
        autoCorrect="off"
        autoCapitalize="off"
        spellCheck={false}
        {...rest}
        id={id}
        className={`input ${className ?? ''}`}
        aria-invalid={problem ? true : undefined}
        aria-describedby={describe(id, hint, problem)}
        data-testid={testId}
      />
    </Shell>
  )
}

type AreaProps = Around & Omit<ComponentProps<'textarea'>, 'id'> & { testId?: string }

export function TextArea({ label, hint, problem, aside, testId, className, ...rest }: AreaProps) {
  const id = useId()
  return (
    <Shell id={id} label={label} hint={hint} problem={problem} aside={aside}>
      <textarea
        autoComplete="off"
        spellCheck={false}
        {...rest}
        id={id}
        className={`input ${className ?? ''}`}
        aria-invalid={problem ? true : undefined}
        aria-describedby={describe(id, hint, problem)}
        data-testid={testId}
      />
    </Shell>
  )
}

type SelectProps = Around & Omit<ComponentProps<'select'>, 'id'> & { testId?: string }

export function SelectField({ label, hint, problem, aside, testId, children, ...rest }: SelectProps) {
  const id = useId()
  return (
    <Shell id={id} label={label} hint={hint} problem={problem} aside={aside}>
      <select
        {...rest}
        id={id}
        className="input"
        aria-describedby={describe(id, hint, problem)}
        data-testid={testId}
      >
        {children}
      </select>
    </Shell>
  )
}
