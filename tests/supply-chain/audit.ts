import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { partOf } from '../readme/page.ts'
import { type Advisory, auditOf } from './advisories.ts'

/**
 * `make audit`: asks the registry what is known against the packages of the lock, first against those of production, then
 * against all. Status 0: nothing, or only what CONTRIBUTING.md accepts by its id; 1: something; 3: nobody could be asked.
 */
const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** One try each: whoever is without a network should not wait for it. Offline npm would find nothing and say so as if it had asked. */
const NPM = ['audit', '--json', '--offline=false', '--fetch-retries=0', '--fetch-timeout=30000']

const accepted = partOf(readFileSync('CONTRIBUTING.md', 'utf8'), '## Supply chain')

const lineOf = ({ id, package: name, severity, title }: Advisory): string => {
  const known = accepted.includes(id) ? ' (accepted in CONTRIBUTING.md)' : ''
  return `  ${severity}: ${name}: ${title}, ${id}${known}`
}

let status = 0
for (const [what, ...omitted] of [['production', '--omit=dev'], ['production and development']]) {
  const { stdout } = spawnSync('npm', [...NPM, ...omitted], { encoding: 'utf8', timeout: 120_000 })
  const audit = auditOf(stdout ?? '')
  if (audit._tag === 'NotAnswered') {
    say(`${what}: not audited, for ${audit.why}`)
    if (status === 0) status = 3
    continue
  }
  say(`${what}: ${audit.advisories.length} known vulnerabilities`)
  for (const advisory of audit.advisories) say(lineOf(advisory))
  if (audit.advisories.some(({ id }) => !accepted.includes(id))) status = 1
}
process.exitCode = status
