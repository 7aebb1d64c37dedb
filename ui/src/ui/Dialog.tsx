import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { useT } from '@/messages'
import { Button } from './Button'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** Buttons at the end; the dialog adds Cancel before them unless told not to. */
  actions?: ReactNode
  cancel?: boolean
  testId?: string
}

export function Dialog({ open, onClose, title, children, actions, cancel = true, testId }: DialogProps) {
  const t = useT()
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="veil z-40" />
        <Base.Popup className="dialog z-50" data-testid={testId}>
          <div className="flex flex-col gap-3 p-4">
            <Base.Title className="text-lg">{title}</Base.Title>
            {children}
            <div className="mt-2 flex flex-wrap justify-end gap-2">
              {cancel && <Button onClick={onClose}>{actions ? t('common.cancel') : t('common.close')}</Button>}
              {actions}
            </div>
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
