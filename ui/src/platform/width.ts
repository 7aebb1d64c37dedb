import { type RefObject, useLayoutEffect, useState } from 'react'

/** The inner width of an element in pixels, followed while it is shown. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const node = element.current
    if (!node) return
    const read = () => setWidth(node.clientWidth)
    read()
    const watch = new ResizeObserver(read)
    watch.observe(node)
    return () => watch.disconnect()
  }, [element])
  return width
}
