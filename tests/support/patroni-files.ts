import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../architecture/root.ts'

export const PASSWORDS = {
  superuser: 'password-of-the-superuser',
  restapi: 'password-of-the-rest-api',
  service: 'password-of-the-service',
}

/** How a test changes the files of `deploy/high-availability`: addresses, folders, secrets, and nothing else. */
export type Recipe = Readonly<{
  folder: string
  /** The address of a member, by its number from 1 on. */
  addressOf: (member: number) => string
  /** The address of HAProxy and PgBouncer. */
  proxyAddress: string
  /** Who starts PostgreSQL and PgBouncer. */
  owner: Readonly<{ uid: number; gid: number }>
}>

/** A folder for one process, which its owner may enter. */
const newFolder = (path: string, { uid, gid }: Recipe['owner']): string => {
  mkdirSync(path, { mode: 0o700 })
  chownSync(path, uid, gid)
  return path
}

const written = (path: string, text: string, { uid, gid }: Recipe['owner']): string => {
  writeFileSync(path, text, { mode: 0o600 })
  chownSync(path, uid, gid)
  return path
}

/**
 * A file of the recipe with other values.
 *
 * @throws Error if it lacks one of them
 */
const filled = (
  file: string,
  recipe: Recipe,
  ...values: ReadonlyArray<readonly [from: string, to: string]>
): string => {
  let text = readFileSync(join(ROOT, 'deploy/high-availability', file), 'utf8').replaceAll(
    /^\s*[#;].*\n/gm,
    '',
  )
  const members = [1, 2, 3].map((member) => [`10.0.0.1${member}`, recipe.addressOf(member)] as const)
  for (const [from, to] of [...values, ...members.filter(([from]) => text.includes(from))]) {
    if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}

/** Writes the files of one member. */
export const memberFiles = (number: number, recipe: Recipe) => {
  const { folder, owner } = recipe
  const [name, address] = [`member-${number}`, recipe.addressOf(number)]
  const place = newFolder(join(folder, name), owner)
  const data = join(place, 'data')
  const who = [
    ['THIS-NAME', name],
    ['THIS-ADDRESS', address],
  ] as const
  const environment = filled('etcd.env', recipe, ...who, ['/var/lib/etcd/portcullis', join(place, 'etcd')])
  const patroni = filled(
    'patroni.yml',
    recipe,
    ...who,
    ['/var/lib/postgresql/15/portcullis', data],
    ['/var/lib/postgresql', place],
    ['/var/run/postgresql', place],
    ['CHANGE-ME-superuser', PASSWORDS.superuser],
    ['CHANGE-ME-replication', 'password-of-the-standbys'],
    ['CHANGE-ME-rewind', 'password-of-pg-rewind'],
    ['CHANGE-ME-restapi', PASSWORDS.restapi],
    ['10.0.0.0/24', '127.0.0.0/8'],
    ['mode: automatic', "mode: 'off'"], // one that works would reset this machine
  )
  return {
    name,
    address,
    /** The folder of its PostgreSQL. */
    data,
    /** The output of its processes. */
    log: join(place, 'log'),
    etcd: Object.fromEntries(
      environment
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s, 2)),
    ) as Record<string, string>,
    patroni: written(join(place, 'patroni.yml'), patroni, owner),
  }
}

/** Writes the configuration of HAProxy and returns its path. */
export const haproxyFile = (recipe: Recipe): string =>
  written(
    join(recipe.folder, 'haproxy.cfg'),
    filled(
      'haproxy.cfg',
      recipe,
      ['    log /dev/log local0\n    user haproxy\n    group haproxy\n', ''],
      ['    log global\n', ''],
      ['bind 127.0.0.1', `bind ${recipe.proxyAddress}`],
    ),
    recipe.owner,
  )

/** Writes the configuration of PgBouncer and returns its path. */
export const pgbouncerFile = (recipe: Recipe): string => {
  const place = newFolder(join(recipe.folder, 'pgbouncer'), recipe.owner)
  const users = `"portcullis" "${PASSWORDS.service}"\n`
  return written(
    join(place, 'pgbouncer.ini'),
    filled(
      'pgbouncer.ini',
      recipe,
      ['= 127.0.0.1', `= ${recipe.proxyAddress}`],
      ['host=127.0.0.1', `host=${recipe.proxyAddress}`],
      ['/etc/pgbouncer/userlist.txt', written(join(place, 'userlist.txt'), users, recipe.owner)],
      ['/var/log/postgresql', place],
      ['/var/run/postgresql', place],
    ),
    recipe.owner,
  )
}
