import { CommandFailed } from './exit.ts'
import { findingsOf } from './findings.ts'
import { readSettings, withoutMemory } from './operations.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis doctor`: looks at everything it can see, beside a server at work, and changes nothing. */
export const doctor = async (terminal: Terminal, { json }: { json: boolean }): Promise<void> => {
  const settings = readSettings(terminal)
  withoutMemory(settings)
  const findings = await findingsOf(terminal.composition, settings)
  const ok = findings.every((finding) => finding.ok)
  if (json) terminal.print(JSON.stringify({ ok, checks: findings }))
  else
    for (const one of findings)
      terminal.print(`${one.ok ? 'ok   ' : 'WRONG'}  ${one.name.padEnd(11)}  ${one.detail}`)
  if (!ok) throw new CommandFailed('Something is wrong: see the checks that are not ok.')
}
