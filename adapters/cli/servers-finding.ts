import { isLeft } from 'fp-ts/lib/Either.js'
import { RUNNING_WITHIN_MS } from '../../application/log/note-server.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import type { ServerNote, ServerNotes } from '../../application/ports/server-notes.ts'
import { notedSettings } from '../config/noted-settings.ts'
import { quoted } from '../config/setting.ts'
import type { Settings } from '../config/settings.ts'
import type { Composition } from './composition.ts'
import { unavailableText } from './operations.ts'

/** What a server notes of its settings, and a command compares with them. */
export const notedBy = ({ parts }: Composition, settings: Settings): Readonly<Record<string, string>> => ({
  ...notedSettings(settings),
  '--with': parts === undefined ? 'not given' : 'given',
})

/**
 * Compares the settings of this command with those that the running servers have noted.
 *
 * @param here from `notedBy`, like those of a note
 */
export const serversFinding = async (
  notes: ServerNotes | undefined,
  here: Readonly<Record<string, string>>,
  nowMs: number,
): Promise<Finding> => {
  const finding = (ok: boolean, detail: string): Finding => ({ name: 'servers', ok, detail })
  if (notes === undefined)
    return finding(true, 'This storage keeps no notes of servers, so no settings were compared.')
  const listed = await notes.list()
  if (isLeft(listed)) return finding(false, unavailableText(listed.left))
  const running = listed.right.filter(({ seenAt }) => seenAt > nowMs - RUNNING_WITHIN_MS)
  if (running.length === 0)
    return finding(true, 'No running server has noted its settings here, so none were compared.')
  const groups = groupsOf(running, (note) => differencesOf(note.settings, here))
  const differing = [...groups].filter(([differences]) => differences !== '')
  if (differing.length === 0) return finding(true, `These settings are those of ${namesOf(running)}.`)
  const sentences = differing.map(([differences, servers]) => `On ${namesOf(servers)}, ${differences}.`)
  return finding(false, [...sentences, groups.size === 1 ? OTHER_HERE : OTHER_THERE].join(' '))
}

/** A server of another version may have more or fewer settings. */
const differencesOf = (there: ServerNote['settings'], here: ServerNote['settings']): string =>
  Object.entries(here)
    .map(([name, value]) => ({ name, value, other: there[name] ?? value }))
    .filter(({ value, other }) => value !== other)
    .map(({ name, ...values }) => {
      const [there, here] = [quoted(values.other), quoted(values.value)]
      return there === here ? `${name} has another value` : `${name} is ${there} (here ${here})` // equal once their secrets are hidden
    })
    .join(', ')

const groupsOf = (
  running: ReadonlyArray<ServerNote>,
  keyOf: (note: ServerNote) => string,
): ReadonlyMap<string, ReadonlyArray<ServerNote>> => {
  const groups = new Map<string, ReadonlyArray<ServerNote>>()
  for (const note of running) groups.set(keyOf(note), [...(groups.get(keyOf(note)) ?? []), note])
  return groups
}

/** The start tells a server from the one before it at the same place. */
const namesOf = (servers: ReadonlyArray<ServerNote>): string => {
  const shown = servers
    .slice(0, MAX_NAMES)
    .map(
      ({ name, startedAt, seenAt }) =>
        `${quoted(name)} (started ${dateOf(startedAt)}, last seen ${dateOf(seenAt)})`,
    )
  const hidden = servers.length - shown.length
  const many = servers.length === 1 ? 'the server' : `${servers.length} servers:`
  return `${many} ${shown.join(', ')}${hidden > 0 ? ` and ${hidden} more` : ''}`
}

const MAX_NAMES = 3

/** A damaged note may contain any number. */
const dateOf = (ms: number): string =>
  Math.abs(ms) > MAX_DATE_MS ? 'at an unknown time' : new Date(ms).toISOString()

const MAX_DATE_MS = 8.64e15

const OTHER_HERE =
  'Run commands with the settings of the server (docs/operate.md, Compare the servers). If you have just changed a setting, restart the server.'
const OTHER_THERE = 'Give all servers and commands the same settings, and restart the servers that differ.'
