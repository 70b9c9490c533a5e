import pg from 'pg'
import type { Finding } from '../../../application/ports/inspection.ts'
import type { Query } from './primary.ts'

/**
 * Whether an acknowledged change survives a crash of the server's machine, and a fail-over to a standby.
 *
 * Standbys without a synchronous one are wrong: PostgreSQL does not tell whether one of them may be promoted.
 *
 * @param setting of the server, which a service accepts: `synchronous_commit` is not off
 */
export const durability = async (
  query: Query,
  setting: Readonly<Record<string, string>>,
): Promise<Finding> => {
  const { fsync, synchronous_commit: level = '', synchronous_standby_names: names = '' } = setting
  if (fsync === 'off')
    return wrong('fsync is off, so that a crash of the machine can lose answered changes. Turn it on.')
  if (level === 'local')
    return wrong(
      `synchronous_commit is local, so that no commit waits for a standby. ${LOSS} Turn it on: ${await turningOn(query)} Then restart the instances.`,
    )
  const { rows } = await query<Receiver>(RECEIVERS)
  const state = `fsync is ${fsync}, synchronous_commit ${level}.`
  return names === '' ? withoutSynchronous(rows, state) : withSynchronous(rows, { state, level, names })
}

/**
 * A connection that receives the WAL.
 *
 * `sync_state` is null for a role without `pg_monitor`. Every role sees the other fields.
 */
type Receiver = Readonly<{ name: string; sync_state: string | null; is_standby: boolean }>

/** Subscriptions, back-ups and archives receive the WAL too, and are no standbys. */
const RECEIVERS = `
  SELECT application_name AS name, sync_state,
    application_name !~ '^(pg_basebackup|pg_receivewal|barman)' AND NOT EXISTS (
      SELECT 1 FROM pg_replication_slots WHERE active_pid = pg_stat_replication.pid AND slot_type = 'logical'
    ) AS is_standby
  FROM pg_stat_replication ORDER BY application_name`

const withoutSynchronous = (receivers: ReadonlyArray<Receiver>, state: string): Finding => {
  const standbys = receivers.filter(({ is_standby }) => is_standby)
  if (standbys.length === 0) return ok(`${state} No standby is connected.`)
  const ids = [...new Set(standbys.map(({ name }) => pg.escapeIdentifier(name)))]
  const setting = pg.escapeLiteral(`ANY 1 (${ids.join(', ')})`)
  return wrong(
    `no commit waits for a standby, because synchronous_standby_names is empty. Connected: ${listed(standbys)}. ${LOSS} Name the standbys on each server: ALTER SYSTEM SET synchronous_standby_names = ${setting}; SELECT pg_reload_conf(); With Patroni, set synchronous_mode instead.`,
  )
}

const withSynchronous = (
  receivers: ReadonlyArray<Receiver>,
  { state, level, names }: Readonly<{ state: string; level: string; names: string }>,
): Finding => {
  const isHidden = receivers.some(({ sync_state }) => sync_state === null)
  const acknowledging = receivers.filter(
    ({ sync_state }) => isHidden || sync_state === 'sync' || sync_state === 'quorum',
  )
  // PostgreSQL does not tell how many it waits for. A list without a number means one.
  const needed = Number(/^\s*(?:FIRST|ANY)?\s*(\d+)\s*\(/i.exec(names)?.[1] ?? 1)
  if (acknowledging.length < needed)
    return wrong(
      `every commit waits, because too few standbys of synchronous_standby_names are connected. The names are: ${names}. Connected: ${listed(receivers)}. Start those standbys, or change the names.`,
    )
  const who = isHidden
    ? `Connected: ${listed(receivers)}. To see which of them acknowledge a commit, GRANT pg_monitor to this role.`
    : `Standbys that acknowledge a commit: ${listed(acknowledging)}.`
  return ok(
    `${state} Each commit waits for synchronous_standby_names: ${names}. ${who}${MEANING[level] ?? ''}`,
  )
}

/** What another level than `on` means. */
const MEANING: Readonly<Record<string, string>> = {
  remote_write:
    ' With remote_write, a commit survives a crash of PostgreSQL on the standby, but not of its machine: on survives both.',
  remote_apply: ' With remote_apply, a standby also shows a commit before it acknowledges it.',
}

const LOSS = 'After a fail-over, an acknowledged sign-out can be gone, and the token works again.'

/** This setting has precedence over those of the server, the database and the role. A promoted standby has it too. */
const turningOn = async (query: Query): Promise<string> => {
  const { rows } = await query<{ role: string; database: string }>(
    'SELECT session_user::text AS role, current_database()::text AS database',
  )
  const [role, database] = [rows[0]?.role ?? '', rows[0]?.database ?? ''].map(pg.escapeIdentifier)
  return `ALTER ROLE ${role} IN DATABASE ${database} SET synchronous_commit = on;`
}

const listed = (receivers: ReadonlyArray<Receiver>): string =>
  receivers.map(({ name }) => name).join(', ') || 'none'

const ok = (detail: string): Finding => ({ name: 'durability', ok: true, detail })
const wrong = (detail: string): Finding => ({ name: 'durability', ok: false, detail })
