import type { Finding } from '../../application/ports/inspection.ts'
import type { Settings } from '../config/settings.ts'
import type { CommandContext } from './command-context.ts'
import { CommandFailed } from './exit.ts'
import { findingsOf } from './findings.ts'
import { readSettings, refuseMemoryStore } from './operations.ts'

/** `portcullis doctor`: checks the service and changes nothing. It is safe beside a running server. */
export const doctor = async (context: CommandContext, { json }: { json: boolean }): Promise<void> => {
  const settings = readSettings(context)
  refuseMemoryStore(context.composition, settings)
  const findings = await shownFindings(context, settings)
  const allOk = findings.every(({ ok }) => ok)
  if (json) context.writeOut(JSON.stringify({ ok: allOk, checks: findings }))
  else
    for (const { ok, name, detail } of findings)
      context.writeOut(`${ok ? 'ok   ' : 'WRONG'}  ${name.padEnd(11)}  ${detail}`)
  if (!allOk) throw new CommandFailed('Some checks failed. See each check that is not ok.')
}

/** The findings. On a terminal, standard error shows the progress until then. */
const shownFindings = async (
  { composition, terminal }: CommandContext,
  settings: Settings,
): Promise<ReadonlyArray<Finding>> => {
  // Loaded only if it is shown.
  const progress = terminal && (await import('./check-progress.ts')).checkProgress(terminal)
  try {
    return await findingsOf(composition, settings, progress?.show)
  } finally {
    progress?.stop()
  }
}
