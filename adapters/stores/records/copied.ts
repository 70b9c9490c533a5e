import type { StoreContents } from '../../../application/ports/store-copy.ts'
import { unavailable } from './unavailable.ts'

/** Whether a store contains nothing that a copy would overwrite. Its tree may already have a name. */
export const isEmpty = ({ items, last }: StoreContents): boolean =>
  last === 0 && Object.entries(items).every(([part, count]) => part === 'tiles' || count === 0)

/** The failure of a store that is not the incomplete target of the copy that writes. */
export const NOT_ITS_TARGET = unavailable('the store is not the incomplete target of this copy')
