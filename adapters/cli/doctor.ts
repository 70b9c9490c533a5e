import type { Writable } from 'node:stream'
import { isRight } from 'fp-ts/lib/Either.js'
import type { Finding } from '../../application/ports/inspection.ts'
import type { Table } from '../../application/ports/store.ts'
import type { Settings } from '../config/settings.ts'
import { applicationsFinding } from './applications-finding.ts'
import { closedSentence, closedState } from './closed-store.ts'
import type { CommandContext } from './command-context.ts'
import type { Composition, Operations, Progress } from './composition.ts'
import { CommandFailed } from './exit.ts'
import { factorsFinding } from './factors-finding.ts'
import { identityProvidersFinding } from './identity-providers-finding.ts'
import { keysFinding } from './keys-finding.ts'
import { historyFinding, logFinding } from './log-finding.ts'
import { mailsFinding, relayFinding } from './mails-finding.ts'
import { hashingFinding, passwordsFinding } from './passwords-finding.ts'
import { printableOnLine } from './printable.ts'
import { readStoreSettings, storeName, storeText } from './read-settings.ts'
import { notedBy, serversFinding, settingsBeside } from './servers-finding.ts'
import { settingsFinding } from './settings-finding.ts'
import { sharedTableFinding, type TableFinding } from './table-finding.ts'

/** `portcullis doctor`: checks the service and changes nothing. It is safe beside a running server. */
export const doctor = async (context: CommandContext, { json }: { json: boolean }): Promise<void> => {
  const settings = readStoreSettings(context)
  const findings = await shownFindings(context, settings)
  const allOk = findings.every(({ ok }) => ok)
  if (json) context.writeOut(JSON.stringify({ ok: allOk, checks: findings }))
  else
    for (const { ok, name, detail } of findings)
      context.writeOut(`${ok ? 'ok   ' : 'WRONG'}  ${name.padEnd(11)}  ${printableOnLine(detail)}`)
  if (!allOk) throw new CommandFailed('Some checks failed. See each check that is not ok.')
}

/** The findings. On a terminal, standard error shows the progress until then. */
const shownFindings = async (
  { composition, terminal }: CommandContext,
  settings: Settings,
): Promise<ReadonlyArray<Finding>> => {
  const progress = terminal && (await checkProgress(terminal))
  try {
    return await findingsOf(composition, settings, progress?.show)
  } finally {
    progress?.stop()
  }
}

/** Checks the settings, the place of the store, and the store itself. */
export const findingsOf = async (
  composition: Composition,
  settings: Settings,
  onProgress: OnProgress = () => {},
): Promise<ReadonlyArray<Finding>> => {
  // Meanwhile: what is away answers late.
  const away = Promise.all([
    relayFinding(composition, settings, Date.now()),
    identityProvidersFinding(composition, settings),
  ]).then((findings) => findings.flat())
  onProgress({ check: 'store', done: 0, total: undefined })
  const haveHasher = composition.parts?.havePasswordHasher ?? false
  const outside = [
    settingsFinding(settings, {
      store: storeText(composition, settings),
      haveHasher,
      advised: composition.contrastProblems(settings),
    }),
    ...(await composition.inspectStore(settings)),
  ]
  if (outside.some(({ name, ok }) => name === 'store' && !ok)) return [...outside, ...(await away)]
  const inside = await storeFindings(composition, settings, onProgress)
  const isReplaced = ({ name }: Finding) => inside.some((finding) => finding.name === name) // the open store tells more
  return [...outside.filter((finding) => !isReplaced(finding)), ...inside, ...(await away)]
}

/** The checks that need the open store. */
const storeFindings = async (
  composition: Composition,
  settings: Settings,
  onProgress: OnProgress,
): Promise<ReadonlyArray<Finding>> => {
  const haveHasher = composition.parts?.havePasswordHasher ?? false
  try {
    const operations = await composition.composeOperations(settings, 'read-only')
    try {
      const closed = await closedFinding(operations, storeName(composition, settings))
      const noted = notedBy(composition, settings)
      const servers = await serversFinding(operations.serverNotes, noted, Date.now())
      const beside = { ...operations, settings: await settingsBeside(operations) }
      const about = <T extends Table>(make: () => TableFinding<T>) =>
        sharedTableFinding(operations.store, make, onProgress)
      const applications = about(() => applicationsFinding(beside))
      const factors = about(() => factorsFinding(operations))
      const passwords = about(() => passwordsFinding(operations, haveHasher))
      const { log, history } = await operations.checkStore({
        onProgress: ({ of: check, done, total }) => onProgress({ check, done, total }),
        onRows: { applications: applications.take, factors: factors.take, users: passwords.take },
      })
      return [
        ...closed,
        servers,
        logFinding(log),
        await historyFinding(operations, history),
        ...(await applications.findings(isRight(log))),
        await keysFinding(operations),
        ...(await factors.findings(isRight(log))),
        ...(await passwords.findings(isRight(log))),
        await hashingFinding(operations, haveHasher),
        ...(await mailsFinding(operations, Date.now())),
      ]
    } finally {
      await operations.close()
    }
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'The store cannot be opened.'
    return [{ name: 'store', ok: false, detail }]
  }
}

/** A store that a copy has closed. It tells more than that its file or server can be used. */
const closedFinding = async (
  operations: Pick<Operations, 'storeCopy'>,
  name: string,
): Promise<ReadonlyArray<Finding>> => {
  const copyState = await closedState(operations)
  return copyState === undefined
    ? []
    : [{ name: 'store', ok: false, detail: closedSentence(name, copyState) }]
}

type OnProgress = (progress: Progress) => void

/** The progress of the long checks of `doctor`, one after the other. It leaves nothing on the terminal. */
const checkProgress = async (terminal: Writable) => {
  const { progressBar } = await import('./progress-bar.ts') // loaded only if it is shown
  const bar = progressBar(terminal, { format: '{bar} {percentage}% | {check}{count}', isKept: false })
  let current: string | undefined
  let shown = 0
  return {
    show: ({ check, done, total }: Progress): void => {
      const count = total === undefined ? '' : `: ${done} of ${Math.max(done, total)}`
      const isNew = check !== current || done < shown
      if (isNew) bar.begin(total ?? UNKNOWN, { check, count })
      if (total !== undefined) bar.advance(isNew ? done : done - shown, { check, count })
      current = check
      shown = done
    },
    stop: bar.stop,
  }
}

/** The bar of a check of unknown size stays at 0 %. */
const UNKNOWN = 1
