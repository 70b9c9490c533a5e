import { pipe } from 'fp-ts/lib/function.js'
import { fromNullable, map, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import type { Factor } from '../../domain/factor.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'

/** Lists the second factors of a user, ascending by id (docs/second-factor.md). It changes nothing. */
export type ListFactors = (caller: Pick<UserCaller, 'user'>) => TE.TaskEither<StoreUnavailable, ListedFactors>

/** `recoveryCodesLeft` is none if the user has no recovery codes. */
export type ListedFactors = Readonly<{
  factors: ReadonlyArray<ListedFactor>
  recoveryCodesLeft: Option<number>
}>

export type ListedFactor = Pick<
  Factor,
  'id' | 'kind' | 'name' | 'createdAtSeconds' | 'usedAtSeconds' | 'flags'
>

export const listFactors =
  ({ store }: Readonly<{ store: Pick<Store, 'listFactors'> }>): ListFactors =>
  ({ user }) =>
    pipe(store.listFactors(user.id), TE.map(listed))

/** Returns all factors of a user as the user sees them. */
export const listed = (all: ReadonlyArray<Factor>): ListedFactors => ({
  factors: all.filter(({ kind }) => kind !== 'recovery_codes'),
  recoveryCodesLeft: pipe(
    fromNullable(all.find(({ kind }) => kind === 'recovery_codes')),
    map(({ counter }) => counter),
  ),
})
