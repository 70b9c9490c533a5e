import { isLeft } from 'fp-ts/lib/Either.js'
import { map, type TaskEither } from 'fp-ts/lib/TaskEither.js'
import { RUNNING_WITHIN_MS } from '../../application/log/note-server.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import type { ServerNote, ServerNotes } from '../../application/ports/server-notes.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import { notedSettings } from '../config/noted-settings.ts'
import { quoted } from '../config/setting.ts'
import type { Settings } from '../config/settings.ts'
import type { Composition, Operations } from './composition.ts'
import type { FirstRunSettings } from './first-run.ts'
import { unavailableText } from './operations.ts'

/** What a server notes of its settings, and a command compares with them. */
export const notedBy = ({ parts }: Composition, settings: Settings): Readonly<Record<string, string>> => ({
  ...notedSettings(settings),
  '--with': parts === undefined ? 'not given' : 'given',
})

/** What `serve` notes of its settings, and which of them its first run chose. Commands have those only if the operator sets them. */
export const notedByServer = (
  composition: Composition,
  { settings, shared }: Pick<FirstRunSettings, 'settings' | 'shared'>,
): Readonly<Record<string, string>> => {
  const [noted, others] = [notedBy(composition, settings), notedBy(composition, shared)]
  const chosen = Object.keys(noted).filter((name) => noted[name] !== others[name])
  return chosen.length === 0 ? noted : { ...noted, [FIRST_RUN]: chosen.join(' ') }
}

const FIRST_RUN = '--first-run'

/** Returns the settings, with what the first run of a running server has switched on: that server acts for users. */
export const settingsBeside = async ({
  settings,
  serverNotes,
}: Pick<Operations, 'settings' | 'serverNotes'>): Promise<Settings> => {
  const listed = serverNotes && (await runningOf(serverNotes, Date.now())())
  const isOn = (name: string): boolean =>
    listed?._tag === 'Right' &&
    listed.right.some((note) => chosenIn(note.settings).includes(name) && note.settings[name] === 'on')
  return {
    ...settings,
    secondFactors: settings.secondFactors || isOn('SECOND_FACTORS'),
    openid: settings.openid || isOn('OPENID'),
  }
}

const runningOf = (
  notes: ServerNotes,
  nowMs: number,
): TaskEither<StoreUnavailable, ReadonlyArray<ServerNote>> =>
  map((listed: ReadonlyArray<ServerNote>) =>
    listed.filter(({ seenAt }) => seenAt > nowMs - RUNNING_WITHIN_MS),
  )(notes.list)

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
  const listed = await runningOf(notes, nowMs)()
  if (isLeft(listed)) return finding(false, unavailableText(listed.left))
  const running = listed.right
  if (running.length === 0)
    return finding(true, 'No running server has noted its settings here, so none were compared.')
  const groups = groupsOf(running, (note) => differencesOf(note.settings, here))
  const differing = [...groups].filter(([differences]) => differences !== '')
  if (differing.length === 0) {
    const chosen = [...new Set(running.flatMap((note) => chosenOnly(note.settings, here)))]
    const same = `These settings are those of ${namesOf(running)}`
    return finding(
      true,
      chosen.length === 0 ? `${same}.` : `${same}, but its first run chose ${chosen.join(', ')}.`,
    )
  }
  const sentences = differing.map(([differences, servers]) => `On ${namesOf(servers)}, ${differences}.`)
  return finding(false, [...sentences, groups.size === 1 ? OTHER_HERE : OTHER_THERE].join(' '))
}

/** A server of another version may have more or fewer settings. */
const differencesOf = (there: ServerNote['settings'], here: ServerNote['settings']): string =>
  Object.entries(here)
    .map(([name, value]) => ({ name, value, other: there[name] ?? value }))
    .filter(({ name, value, other }) => value !== other && !chosenOnly(there, here).includes(name))
    .map(({ name, ...values }) => {
      const [there, here] = [quoted(values.other), quoted(values.value)]
      return there === here ? `${name} has another value` : `${name} is ${there} (here ${here})` // equal once their secrets are hidden
    })
    .join(', ')

/** The settings that the first run of a server chose, and that have no value here. */
const chosenOnly = (there: ServerNote['settings'], here: ServerNote['settings']): ReadonlyArray<string> =>
  chosenIn(there).filter((name) => UNSET.includes(here[name] ?? ''))

const chosenIn = (noted: ServerNote['settings']): ReadonlyArray<string> => (noted[FIRST_RUN] ?? '').split(' ')

const UNSET = ['off', 'not set']

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
