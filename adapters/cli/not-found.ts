import type { NotNamed } from '../../application/recording/change-application.ts'
import type { UserUnknown } from '../../application/recording/change-user.ts'
import { printableOnLine } from './printable.ts'

/** The sentence of a command that finds no user. */
export const userUnknown = (_: UserUnknown): string =>
  'No user has this e-mail or id. See: portcullis user list'

/** The sentence of a command that finds no application, or several. */
export const applicationNotNamed = (failure: NotNamed): string =>
  failure._tag === 'ApplicationUnknown'
    ? 'No application has this id or name. See: portcullis application list'
    : `${failure.ids.length} applications have this name. Give the id instead: ${printableOnLine(failure.ids.join(', '))}`
