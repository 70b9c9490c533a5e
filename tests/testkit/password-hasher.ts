import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import { type CaseOf, casesOn } from './frames.ts'
import { atOnceCases } from './password-hasher/at-once.ts'
import { inexactCases, outdatedCases, unreadableCases } from './password-hasher/known-records.ts'
import { oneAtATimeCases, refusingCases } from './password-hasher/load.ts'
import { passwordCases } from './password-hasher/passwords.ts'
import { recordCases } from './password-hasher/records.ts'
import { schemeCases } from './password-hasher/schemes.ts'
import { signalCases } from './password-hasher/signal.ts'
import { ifDeclared, type Runner } from './runner.ts'

/**
 * Opens a hasher. Use the lowest cost, because the suite makes some hundred hashes. Let at least 40 hashes wait.
 *
 * The suite calls `close` at the end of a case.
 */
export type OpenPasswordHasher = () => Promise<OpenedPasswordHasher>
export type OpenedPasswordHasher = Readonly<{ hasher: PasswordHasher; close?: () => Promise<void> }>

/** A stored record, and the password that it was made from. */
export type KnownRecord = Readonly<{ password: string; record: string }>

/**
 * Optional capabilities. Pass the listed value to test one. Only `oneAtATime` and `refusing` prove that concurrency is bounded and turns
 * are fair.
 */
export type PasswordHasherCapabilities = Readonly<{
  /** A record that was made at a lower cost or with an older pepper. The password still fits it. */
  outdated?: KnownRecord
  /** A record that the hasher cannot read, because it does not have the pepper or scheme. */
  unreadable?: KnownRecord
  /** A record that compares only a part of its password, so that `other` fits it too. */
  inexact?: KnownRecord & Readonly<{ other: string }>
  /** Opens a hasher that runs one hash at a time. All other hashes wait, and none is refused. */
  oneAtATime?: OpenPasswordHasher
  /** Opens a hasher that refuses every hash that cannot start at once. */
  refusing?: OpenPasswordHasher
}>

/** Registers a case with its own hasher. */
export type Check = CaseOf<[hasher: PasswordHasher]>

/**
 * The contract suite of `PasswordHasher`. It cannot measure time, so it cannot test that verifying without a record is the same work.
 *
 * @param open is called once for each case
 */
export const passwordHasherContract = (
  runner: Runner,
  open: OpenPasswordHasher,
  { outdated, unreadable, inexact, oneAtATime, refusing }: PasswordHasherCapabilities = {},
): void => {
  const { describe } = runner
  const checkOn = (opening: OpenPasswordHasher): Check =>
    casesOn(runner, async () => {
      const { hasher, ...opened } = await opening()
      return { ...opened, adapter: hasher }
    })

  describe('passwords', () => passwordCases(checkOn(open)))
  describe('records', () => recordCases(checkOn(open)))
  describe('schemes', () => schemeCases(checkOn(open)))
  describe('aborts and starts', () => signalCases(checkOn(open)))
  describe('many at once', () => atOnceCases(checkOn(open)))
  ifDeclared(runner, 'outdated', outdated, (known) =>
    describe('an outdated record', () => outdatedCases(checkOn(open), known)),
  )
  ifDeclared(runner, 'unreadable', unreadable, (known) =>
    describe('an unreadable record', () => unreadableCases(checkOn(open), known)),
  )
  ifDeclared(runner, 'inexact', inexact, (known) =>
    describe('an inexact record', () => inexactCases(checkOn(open), known)),
  )
  ifDeclared(runner, 'oneAtATime', oneAtATime, (opening) =>
    describe('one at a time', () => oneAtATimeCases(checkOn(opening))),
  )
  ifDeclared(runner, 'refusing', refusing, (opening) =>
    describe('a hasher that refuses', () => refusingCases(checkOn(opening))),
  )
}
