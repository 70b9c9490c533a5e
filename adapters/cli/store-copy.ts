import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { CopiedStore, CopyFailure, OnCopyProgress } from '../../application/copying/copy-store.ts'
import type { CopySide } from '../../application/copying/sides.ts'
import { type Database, databaseUrl } from '../config/database-url.ts'
import type { Settings } from '../config/settings.ts'
import { PLACE_OF_WITH, storeAt } from './closed-store.ts'
import type { CommandContext } from './command-context.ts'
import type { Composition, Operations } from './composition.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { printRecord } from './print.ts'
import { printableOnLine } from './printable.ts'
import { nameStore, placeOf, readEnvironment, readSettings } from './read-settings.ts'

/** `portcullis store copy`: both stores are opened, then copied, then closed. */
export const storeCopy = async (
  context: CommandContext,
  to: string,
  { json }: { json: boolean },
): Promise<void> => {
  const settings = readSettings(context)
  const sides = sidesOf(context, settings, to)
  const source = await sides.source.open()
  try {
    const target = await sides.target.open()
    try {
      const copied = await copyBetween(context, {
        operations: source,
        source: sideOf(source, sides.source.place),
        target: sideOf(target, sides.target.place),
      })
      print(context, {
        json,
        from: sides.source.place,
        to: sides.target.place,
        copied,
        keyFile: settings.keyFile,
      })
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** A store that is not open yet, and its name in messages and copy states. */
type Closed = Readonly<{ place: string; open: () => Promise<Operations> }>

/** @throws CommandFailed for a wrong TO_URL */
const sidesOf = (
  context: CommandContext,
  settings: Settings,
  to: string,
): Readonly<{ source: Closed; target: Closed }> => {
  const { composition } = context
  const { standard, parts } = composition
  const ofWith = parts?.haveStorage === true
  if (to === OF_WITH && !ofWith)
    throw new CommandFailed(
      'TO_URL with: names the store of --with, but this command has no --with, or its file provides no storage.',
    )
  const isIntoWith = to === OF_WITH
  const from = isIntoWith ? standard : composition
  nameStore({ ...context, composition: from }, settings)
  const source: Closed = {
    place: ofWith && !isIntoWith ? PLACE_OF_WITH : placeOf(context, settings),
    open: () => from.composeOperations(settings, 'existing'),
  }
  if (isIntoWith)
    return {
      source,
      target: { place: PLACE_OF_WITH, open: () => composition.composeOperations(settings, 'migrate') },
    }
  const database = databaseOf(context, to)
  const there: Settings = { ...settings, database, databaseDirectUrl: undefined }
  return { source, target: { place: placeOf(context, there), open: () => openTarget(standard, there) } }
}

const OF_WITH = 'with:'

/** @throws CommandFailed */
const databaseOf = (context: CommandContext, to: string): Database => {
  const parsed = databaseUrl({ kind: 'memory' })('TO_URL', {
    ...readEnvironment(context).environment,
    TO_URL: to,
  })
  if (isLeft(parsed)) throw new CommandFailed(`${parsed.left.replace('memory:, ', '')}.`, EXIT.wrongSettings)
  if (to === '') throw new CommandFailed('TO_URL must not be empty.', EXIT.wrongSettings)
  if (parsed.right.kind === 'memory')
    throw new CommandFailed(
      'TO_URL must name a store that lasts: the copy in memory: would end with this command.',
    )
  const { right: database } = parsed
  return database.kind === 'sqlite' ? { ...database, path: resolve(context.folder, database.path) } : database
}

const openTarget = async (standard: Composition, settings: Settings): Promise<Operations> => {
  try {
    return await standard.composeOperations(settings, 'copy-target')
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The target cannot be opened.'
    throw new CommandFailed(message.replaceAll('DATABASE_URL', 'TO_URL'))
  }
}

/** @throws CommandFailed if the store cannot be copied */
const sideOf = ({ store, storeCopy: copy }: Operations, place: string): CopySide => {
  if (copy === undefined)
    throw new CommandFailed(
      `The storage of --with cannot be copied: it has no storeCopy. See docs/adapters.md.`,
    )
  return { store, storeCopy: copy, place }
}

const copyBetween = async (
  { terminal }: CommandContext,
  { operations, ...sides }: Readonly<{ operations: Operations; source: CopySide; target: CopySide }>,
): Promise<CopiedStore> => {
  const progress = terminal && (await copyProgress(terminal))
  try {
    const copied = await operations.copyStore(sides, progress?.show)()
    if (isLeft(copied))
      throw new CommandFailed(copySentence(copied.left, { from: sides.source.place, to: sides.target.place }))
    return copied.right
  } finally {
    progress?.stop()
  }
}

const copyProgress = async (terminal: Writable) => {
  const { progressBar } = await import('./progress-bar.ts') // loaded only if it is shown
  const bar = progressBar(terminal, {
    format: '{bar} {percentage}% | {part} | {eta_formatted} left',
    isKept: true,
  })
  let shown: number | undefined
  const show: OnCopyProgress = ({ part, done, total }) => {
    if (shown === undefined) bar.begin(total, { part })
    bar.advance(done - (shown ?? 0), { part: part.replaceAll('_', ' ') })
    shown = done
  }
  return { show, stop: bar.stop }
}

const print = (
  context: CommandContext,
  {
    json,
    from,
    to,
    copied: { copyId, contents, isRepeated },
    keyFile,
  }: Readonly<{ json: boolean; from: string; to: string; copied: CopiedStore; keyFile: string | undefined }>,
): void => {
  const { log, counts, mails, tiles: _, ...tables } = contents.items
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0)
  printRecord(context, {
    json,
    record: {
      copy_id: copyId,
      from,
      to,
      epoch: contents.epoch,
      entries: log,
      rows,
      failure_counts: counts,
      mails,
    },
    note: `${isRepeated ? `An earlier run has copied everything. ` : ''}${storeAt(from)} is closed. Set DATABASE_URL to the new one, and start the service.${keyFile === undefined ? '' : ` It needs the key in ${keyFile}, which was not copied.`}`,
  })
}

/** Says why a copy failed, and what to do. */
export const copySentence = (failure: CopyFailure, places: Readonly<{ from: string; to: string }>): string =>
  printableOnLine(sentenceOf(failure, places))

const sentenceOf = (failure: CopyFailure, { from, to }: Readonly<{ from: string; to: string }>): string => {
  switch (failure._tag) {
    case 'SideUnavailable':
      return failure.isUnsure
        ? `${storeAt(from)} may be closed: ${failure.reason}. Repeat this command: it finishes, or begins again.`
        : `${storeAt(failure.side === 'source' ? from : to)} is unavailable: ${failure.reason}. ${UNCHANGED}`
    case 'Different':
      return `The copy is refused: ${failure.what}. ${UNCHANGED} If this happens again, run doctor on the source.`
    case 'SameStore':
      return `TO_URL names the same store as DATABASE_URL, or a copy of its files. Name an empty store.`
    case 'SourceIncomplete':
      return `${storeAt(from)} is an incomplete copy of ${failure.place}. Copy from there instead.`
    case 'SourceMoved':
      return `${storeAt(from)} has moved to ${failure.place}, and not to ${to}. If that store is lost, run events renew: it opens ${from} again.`
    case 'TargetNotEmpty':
      return `${storeAt(to)} cannot be the target: ${reasonOf(failure.copyState, from)}. Name an empty store. The source is unchanged.`
    case 'TargetLost':
      return `The copy cannot be finished: ${failure.what}. Both stores stay closed. Empty ${to}. Then run events renew, which opens ${from} again, and repeat this command.`
    case 'NotCompleted':
      return `Everything is copied, and ${from} is closed, but ${to} is not open yet: ${failure.reason}. Repeat this command: it finishes.`
  }
}

const UNCHANGED = 'The source is unchanged. Repeat this command: it begins again.'

/** An unfinished copy from the same place is refused only if its epoch is another one. */
const reasonOf = (
  copyState: Extract<CopyFailure, { _tag: 'TargetNotEmpty' }>['copyState'],
  from: string,
): string => {
  switch (copyState.state) {
    case 'open':
      return 'it is not empty'
    case 'incomplete':
      return `it is an incomplete copy of ${copyState.place}${copyState.place === from ? ' in another epoch' : ''}`
    case 'moved':
      return `it has moved to ${copyState.place}`
  }
}
