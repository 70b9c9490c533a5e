import { spawnSync } from 'node:child_process'

/**
 * Skips a test on a machine that lacks a requirement. With `CI` set, the whole suite must run: then the test
 * fails instead.
 */
export const needs = (
  test: Mocha.Context,
  what: string,
  commandLine: readonly [string, ...ReadonlyArray<string>],
): void => {
  const [program, ...words] = commandLine
  const { status, error, stderr } = spawnSync(program, words, { encoding: 'utf8' })
  if (status === 0) return
  if (process.env.CI) throw new Error(`this machine has no ${what}: ${error ?? stderr}`)
  const skipped = test.currentTest ?? test.test // in a hook, the test that it belongs to
  if (skipped) skipped.title += ` (skipped: this machine has no ${what})`
  test.skip()
}

/** A private mount namespace: root creates one directly, other users together with a user namespace. */
export const NAMESPACE = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount']

export const needsMounts = (test: Mocha.Context): void =>
  needs(test, 'way to mount anything', ['unshare', ...NAMESPACE, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'])

export const needsStrace = (test: Mocha.Context): void =>
  needs(test, 'strace', ['strace', '-f', '-o', '/dev/null', 'true'])
