import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import type { CatchUpFailure, ModelledLog } from '../../../application/log/catch-up.ts'
import type { BeyondEnd } from '../../../application/log/read-log.ts'
import type { Clock } from '../../../application/ports/environment.ts'
import type { Outbox } from '../../../application/ports/outbox.ts'
import type { PasswordHasher } from '../../../application/ports/password-hasher.ts'
import type { Store } from '../../../application/ports/store.ts'
import type { Field } from '../../../domain/field.ts'
import type { OtherEpoch } from '../../../domain/log-cursor.ts'
import { readQuery } from '../request/form.ts'
import type { MalformedRequest } from '../request/request.ts'
import type { Page } from './layout.ts'
import type { StoreCheck } from './store-check.ts'

/** What the screens read. */
export type ScreenParts = Readonly<{
  store: Store
  log: ModelledLog
  clock: Clock
  check: StoreCheck
  passwordHasher: Pick<PasswordHasher, 'assess'>
  /** The outbox, and whether `MAIL_URL` is set. Undefined if the storage keeps no mails. */
  mails: Readonly<{ counts: Outbox['counts']; areSent: boolean }> | undefined
  /** Whether the pages offer changes. */
  isWritable: boolean
}>

/** Why a screen cannot be shown. */
export type ScreenFailure = CatchUpFailure | OtherEpoch | BeyondEnd

/** Returns the page of a screen for a query. */
export type ConsoleScreen = (
  parts: ScreenParts,
  query: string,
) => Promise<Either<ScreenFailure | MalformedRequest, Page>>

/** @param names the parameters that the screen reads */
export const screen =
  <Name extends string>({
    names,
    show,
  }: Readonly<{
    names: ReadonlyArray<Name>
    show: (parts: ScreenParts, query: Readonly<Record<Name, Field>>) => Promise<Either<ScreenFailure, Page>>
  }>): ConsoleScreen =>
  async (parts, query) => {
    const fields = readQuery(query, names)
    return isLeft(fields) ? fields : show(parts, fields.right)
  }
