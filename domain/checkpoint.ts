import { none, type Option, some } from 'fp-ts/lib/Option.js'

/** What a signed checkpoint states (C2SP tlog-checkpoint): the log of this origin had so many entries and this root. */
export type Checkpoint = Readonly<{
  origin: string
  size: number
  /** The root of the tree, base64. */
  root: string
}>

export const checkpointText = ({ origin, size, root }: Checkpoint): string => `${origin}\n${size}\n${root}\n`

/** Reads what `checkpointText` writes. Extension lines behind the root are ignored. */
export const parseCheckpoint = (text: string): Option<Checkpoint> => {
  const found = /^([^\n+ ]+)\n(0|[1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\n(?:[^\n]+\n)*$/.exec(text)
  const [, origin, size, root] = found ?? []
  return origin === undefined || size === undefined || root === undefined
    ? none
    : some({ origin, size: Number(size), root })
}

/** The origin of a log: a prefix that names the service, and the epoch of the log. It is also the name of its keys. */
export const originOf = (prefix: string, epoch: string): string => `${prefix}${epoch}`

/**
 * The prefix of an origin: the public URL without the scheme, and the path of the log. The name of a key must not contain a plus
 * sign (C2SP signed-note).
 */
export const originPrefixOf = (publicUrl: string): string =>
  `${publicUrl.replace(/^https?:\/\//, '').replaceAll('+', '%2B')}${LOG_PATH}`

const LOG_PATH = '/api/v1/log/'

/** The epoch in an origin, or '' if it is not an origin of this service. */
export const epochOf = (origin: string): string => EPOCH.exec(origin)?.[1] ?? ''

const EPOCH = new RegExp(`${LOG_PATH}([0-9a-f]{8})$`)
