import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { ROOT } from '../architecture/root.ts'

export const UNIT = readFileSync(join(ROOT, 'deploy/systemd/portcullis.service'), 'utf8')
export const COMMAND = readFileSync(join(ROOT, 'deploy/systemd/command.sh'), 'utf8')

/** What a unit says by one name in its section [Service], in its order. */
export const serviceSays = (name: string, unit = UNIT): ReadonlyArray<string> =>
  [...(unit.split('[Service]\n')[1] ?? '').matchAll(/^([A-Za-z]+)=(.*)$/gm)]
    .filter(([, found]) => found === name)
    .map(([, , value = '']) => value)

/** What `command.sh` asks of systemd by one name. */
export const commandSays = (name: string): ReadonlyArray<string> =>
  [...COMMAND.matchAll(/--property='?([A-Za-z]+)=([^'\n\\]*[^'\n\\ ])/g)]
    .filter(([, found]) => found === name)
    .map(([, , value = '']) => value)

/**
 * What the unit puts into the environment of the service, as systemd does.
 *
 * @param file the contents of EnvironmentFile, which count over the rest
 * @param credentials the folder that stands for %d
 */
export const environmentOf = (file: string, credentials: string): Record<string, string> => {
  const set = serviceSays('Environment')
    .flatMap((line) => line.split(' '))
    .map((pair) => pair.replace('%d', credentials).split('='))
    .map(([name = '', value = '']) => [name, value] as const)
  return { ...Object.fromEntries(set), ...(parseEnv(file) as Record<string, string>) }
}

/** Skips a test with a sentence where the machine does not have what it needs. */
export const needs = (test: Mocha.Context, program: string, ...words: ReadonlyArray<string>): void => {
  if (spawnSync(program, words).status === 0) return
  if (test.test) test.test.title += ` (skipped: this machine has no ${program} that works)`
  test.skip()
}
