import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import { type CaseOf, casesOn } from './frames.ts'
import { atOnceCases } from './password-hasher/at-once.ts'
import { outdatedCases, unreadableCases } from './password-hasher/known-records.ts'
import { oneAtATimeCases, refusingCases } from './password-hasher/load.ts'
import { passwordCases } from './password-hasher/passwords.ts'
import { recordCases } from './password-hasher/records.ts'
import { schemeCases } from './password-hasher/schemes.ts'
import { signalCases } from './password-hasher/signal.ts'
import type { Runner } from './runner.ts'

/**
 * Makes a hasher of its own, as cheap as it may be: cases hash some hundred passwords. It lets a few dozen wait for their turn.
 *
 * `close` is called when a case is over.
 */
export type OpenPasswordHasher = () => Promise<OpenedPasswordHasher>
export type OpenedPasswordHasher = Readonly<{ hasher: PasswordHasher; close?: () => Promise<void> }>

/** A record from elsewhere, and the password it was made from. */
export type KnownRecord = Readonly<{ password: string; record: string }>

/**
 * What a hasher may rightly have or not. Each is declared by giving what it takes to see it; of what is not declared no case
 * is registered.
 */
export type PasswordHasherCapabilities = Readonly<{
  /** A record that was made at a lower cost, or under a pepper of before. The password still fits it. */
  outdated?: KnownRecord
  /** A record that was made with something that the hasher was not given: another pepper, another scheme. */
  unreadable?: KnownRecord
  /** Makes a hasher that works on one password at a time and lets the others wait for as long as it takes. */
  oneAtATime?: OpenPasswordHasher
  /** Makes a hasher that refuses what would have to wait for anything. */
  refusing?: OpenPasswordHasher
}>

/** One case: a sentence and what it takes to be true, for a hasher of its own. */
export type Check = CaseOf<[hasher: PasswordHasher]>

/**
 * Everything that `PasswordHasher` promises and that can be seen from outside, for any there is. The names of the cases stay
 * the same from version to version.
 *
 * What it cannot see: how long it takes, and so whether verifying without a record is the same work.
 *
 * @param open is called once a case
 */
export const passwordHasherContract = (
  { describe, it }: Runner,
  open: OpenPasswordHasher,
  { outdated, unreadable, oneAtATime, refusing }: PasswordHasherCapabilities = {},
): void => {
  const checkOn = (opening: OpenPasswordHasher): Check =>
    casesOn({ describe, it }, async () => {
      const { hasher, ...opened } = await opening()
      return { ...opened, adapter: hasher }
    })

  describe('passwords', () => passwordCases(checkOn(open)))
  describe('records', () => recordCases(checkOn(open)))
  describe('schemes', () => schemeCases(checkOn(open)))
  describe('aborts and starts', () => signalCases(checkOn(open)))
  describe('many at once', () => atOnceCases(checkOn(open)))
  if (outdated !== undefined) describe('an outdated record', () => outdatedCases(checkOn(open), outdated))
  if (unreadable !== undefined)
    describe('a record made with what is not given', () => unreadableCases(checkOn(open), unreadable))
  if (oneAtATime !== undefined) describe('one at a time', () => oneAtATimeCases(checkOn(oneAtATime)))
  if (refusing !== undefined) describe('a hasher that refuses', () => refusingCases(checkOn(refusing)))
}
