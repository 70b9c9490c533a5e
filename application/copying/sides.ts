import type { LogTree } from '../ports/log-tree.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { StoreCopy } from '../ports/store-copy.ts'

export type CopySides = Readonly<{ source: CopySide; target: CopySide }>

/** A store, and its name in messages and copy states. */
export type CopySide = Readonly<{ store: Store & Partial<LogTree>; storeCopy: StoreCopy; place: string }>

/** One of the stores cannot answer. With `isUnsure`, the source may have been marked as moved: a repetition tells. */
export type SideUnavailable = Readonly<{
  _tag: 'SideUnavailable'
  side: 'source' | 'target'
  reason: string
  isUnsure: boolean
}>

export const sideUnavailable = (
  side: SideUnavailable['side'],
  { reason }: StoreUnavailable,
): SideUnavailable => ({ _tag: 'SideUnavailable', side, reason, isUnsure: false })
