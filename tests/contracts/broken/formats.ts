import * as E from 'fp-ts/lib/Either.js'
import type { InvalidToken, TokenFormat } from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import type { AnyClaims } from '../token-format.ts'
import type { BrokenOne } from './a-contract.ts'

/** What is wrong with a format, whatever kind of token it is for, and the cases that are there to notice. */
export type WrongFormat = Readonly<{ breaks: string; caughtBy: ReadonlyArray<string>; wrong: Wrong }>
export type Wrong = <Claims extends AnyClaims>(format: TokenFormat<Claims>) => Partial<TokenFormat<Claims>>

/** Formats of one kind that are wrong in these ways. */
export const brokenAs = <Claims extends AnyClaims, Format extends TokenFormat<Claims>>(
  make: () => Format & TokenFormat<Claims>,
  all: ReadonlyArray<WrongFormat>,
): ReadonlyArray<BrokenOne<() => Format>> =>
  all.map(({ breaks, caughtBy, wrong }) => ({
    breaks,
    caughtBy,
    open: () => {
      const format = make()
      return { ...format, ...wrong<Claims>(format) }
    },
  }))

export const wrongFormat = (
  breaks: string,
  caughtBy: string | ReadonlyArray<string>,
  wrong: Wrong,
): WrongFormat => ({ breaks, caughtBy: typeof caughtBy === 'string' ? [caughtBy] : caughtBy, wrong })

export const INVALID: E.Either<InvalidToken, never> = E.left({ _tag: 'InvalidToken' })

/** A format that finds something else in a token than was signed. */
export const finding =
  (alter: (claims: AnyClaims) => AnyClaims): Wrong =>
  <Claims extends AnyClaims>(format: TokenFormat<Claims>) => ({
    verify: (token, keys) => async () =>
      E.map((claims: Claims) => alter(claims) as Claims)(await format.verify(token, keys)()),
  })

/** A format that reads its keys otherwise. */
export const keyed =
  (read: (key: SigningKey) => SigningKey): Wrong =>
  (format) => ({
    sign: (claims, key) => format.sign(claims, read(key)),
    verify: (token, keys) => format.verify(token, keys.map(read)),
  })

/** A format that does not verify what does not please it. */
export const judging =
  (pleases: (claims: AnyClaims) => boolean): Wrong =>
  (format) => ({
    verify: (token, keys) => async () => {
      const found = await format.verify(token, keys)()
      return E.isRight(found) && !pleases(found.right) ? INVALID : found
    },
  })
