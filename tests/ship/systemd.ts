import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../architecture/root.ts'

export const UNIT = readFileSync(join(ROOT, 'deploy/systemd/portcullis.service'), 'utf8')
export const COMMAND = readFileSync(join(ROOT, 'deploy/systemd/command.sh'), 'utf8')

/** The values of a directive in the unit’s [Service] section, in order. */
export const serviceSays = (name: string, unit = UNIT): ReadonlyArray<string> =>
  [...(unit.split('[Service]\n')[1] ?? '').matchAll(/^([A-Za-z]+)=(.*)$/gm)]
    .filter(([, found]) => found === name)
    .map(([, , value = '']) => value)

/** The values of a property that `command.sh` passes to systemd. */
export const commandSays = (name: string): ReadonlyArray<string> =>
  [...COMMAND.matchAll(/--property='?([A-Za-z]+)=([^'\n\\]*[^'\n\\ ])/g)]
    .filter(([, found]) => found === name)
    .map(([, , value = '']) => value)

/** Skips a test with a reason when the machine lacks a program. */
export const needs = (test: Mocha.Context, program: string, ...words: ReadonlyArray<string>): void => {
  if (spawnSync(program, words).status === 0) return
  if (test.test) test.test.title += ` (skipped: this machine has no ${program} that works)`
  test.skip()
}
