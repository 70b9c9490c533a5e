import type { TokenFormat } from '../../application/ports/token-format.ts'
import type { KeyPurpose, SigningKey } from '../../domain/signing-key.ts'
import { aKey } from './builders.ts'
import { type CaseOf, casesOn } from './frames.ts'
import type { Runner } from './runner.ts'
import { claimsCases } from './token-format/claims.ts'
import { keyCases } from './token-format/keys.ts'
import { stringCases } from './token-format/strings.ts'
import { tamperingCases } from './token-format/tampering.ts'
import { unusableKeyCases } from './token-format/unusable-keys.ts'

/** Opens a format that shares nothing with others. The suite calls `close` at the end of a case. */
export type OpenTokens<Format> = () => Promise<OpenedTokens<Format>>
export type OpenedTokens<Format> = Readonly<{ tokens: Format; close?: () => Promise<void> }>

/** Claims as all formats have them: texts, times in seconds, and lists of texts. */
export type AnyClaims = Readonly<Record<string, string | number | ReadonlyArray<string> | undefined>>

/** One case: a sentence and what it takes to be true, for a format of its own and a key that it has made. */
export type Check<Format> = CaseOf<[tokens: Format, key: SigningKey]>

/** The kind of token that a format is for, and claims as they come. */
export type Kind<Claims> = Readonly<{ purpose: KeyPurpose; claims: Claims }>

export const checkOn =
  <Format extends KeyMaker>(runner: Runner, open: OpenTokens<Format>, purpose: KeyPurpose): Check<Format> =>
  (name, body) => {
    const opening = async () => {
      const { tokens, ...opened } = await open()
      return { ...opened, adapter: tokens }
    }
    casesOn(runner, opening)(name, async (tokens) => body(tokens, await newKey(tokens, purpose)))
  }

type KeyMaker = Pick<TokenFormat<unknown>, 'createKey'>

/** A signing key as it stands in a store, of a key that the format makes. */
export const newKey = async ({ createKey }: KeyMaker, purpose: KeyPurpose): Promise<SigningKey> =>
  aKey({ purpose, ...(await createKey()) })

/** What `TokenFormat` promises of any kind of token. */
export const tokenFormatContract = <Claims extends AnyClaims>(
  runner: Runner,
  open: OpenTokens<TokenFormat<Claims>>,
  kind: Kind<Claims>,
): void => {
  const check = checkOn<TokenFormat<Claims>>(runner, open, kind.purpose)
  const { describe } = runner
  describe('claims', () => claimsCases(check, kind))
  describe('keys', () => keyCases(check, kind))
  describe('a key that cannot be used', () => unusableKeyCases(check, kind))
  describe('a token that was changed', () => tamperingCases(check, kind))
  describe('any string', () => stringCases(check))
}
