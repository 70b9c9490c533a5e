import { getCiphers, getHashes } from 'node:crypto'
import { Visitor } from 'oxc-parser'
import { importsOf, parsed, type Source } from './imports.ts'

/** Finds the places in a source that do something forbidden in the service. */
export type Signs = (source: Source) => ReadonlyArray<string>

/** Starts of processes, and evaluation of text. */
export const ofProcesses: Signs = (source) => [
  ...imported(source, {
    'node:child_process': ANY,
    'node:cluster': ANY,
    'node:inspector': ANY,
    'node:module': ANY,
    'node:repl': ANY,
    'node:vm': ANY,
    'node:wasi': ANY,
  }),
  ...identifiers(source, ['eval', 'Function']),
]

/** Connections other than to the configured database, relay and identity providers, and to the published log that a command verifies. */
export const ofConnections: Signs = (source) => [
  ...imported(source, {
    ...(POSTGRES.test(source.path) ? {} : { pg: ANY }),
    ...(SMTP.test(source.path) ? {} : { nodemailer: ANY }),
    ...(OPENID.test(source.path) ? {} : { 'openid-client': ANY, oauth4webapi: ANY }),
    'node:dgram': ANY,
    'node:dns': ANY,
    'node:http2': ANY,
    'node:https': ANY,
    'node:tls': ANY,
    'node:http': ['request', 'get', 'Agent', 'ClientRequest', 'globalAgent'],
    'node:net': ['connect', 'createConnection'],
    jose: ['createRemoteJWKSet'],
  }),
  ...identifiers(source, [
    ...([PUBLISHED_LOG, CLIENT, SERVICE_FETCH, BOUNDED_FETCH].some((place) => place.test(source.path))
      ? []
      : ['fetch']),
    ...['WebSocket', 'EventSource', 'XMLHttpRequest'],
  ]),
]

/** Predictable random numbers. */
export const ofWeakChance: Signs = (source) => identifiers(source, ['random'], 'Math')

/** Hashes except SHA-256 and SHA-512, and ciphers except AES-256-GCM. */
export const ofOtherAlgorithms: Signs = (source) => {
  const usesCrypto = importsOf(source).some(({ to }) => to === 'node:crypto')
  const named = texts(source).filter((text) => ALGORITHMS.has(text.toLowerCase()))
  return usesCrypto ? named.filter((text) => !(text === 'sha1' && SHA_1_PLACES.test(source.path))) : []
}

const ANY = 'any import'

const ALGORITHMS = new Set(
  [...getCiphers(), ...getHashes()]
    .map((name) => name.toLowerCase())
    .filter((name) => !['sha256', 'sha512', 'aes-256-gcm'].includes(name)),
)

/** Reads the published log that the user of `events verify --from` names. */
const PUBLISHED_LOG = /^adapters\/stores\/exported-log\/url\.ts$/

/** Part of the programs that call the service, and not of the service. */
const CLIENT = /^adapters\/client\//

/** Have the method of the service of this name, and call no other. */
const SERVICE_FETCH = /^adapters\/(?:http\/service|bundle\/start-for-tests)\.ts$/

/** Connects only to the configured database. */
const POSTGRES = /^adapters\/stores\/postgres\//

/** Connects only to the configured relay. */
const SMTP = /^adapters\/mail\/smtp\//

/** Connects only to the configured identity providers. */
const OPENID = /^adapters\/credentials\/openid\//

/** Bounds each call to one of them. */
const BOUNDED_FETCH = /^adapters\/credentials\/openid\/bounded-fetch\.ts$/

/**
 * Lists of leaked passwords are published as SHA-1 digests. A look-up protects nothing. Other systems made password records with
 * HMAC-SHA-1, which are replaced at the first sign-in. Authenticator apps make their codes with HMAC-SHA-1 only (RFC 6238).
 */
const SHA_1_PLACES =
  /^adapters\/(?:credentials\/(?:leaked-list\/|foreign-passwords\/pbkdf2\.ts$)|node\/hmac-sha1\.ts$)/

/** The forbidden imports. An import of a whole module counts as an import of all its names. */
const imported = (
  source: Source,
  banned: Readonly<Record<string, typeof ANY | ReadonlyArray<string>>>,
): ReadonlyArray<string> =>
  importsOf(source)
    .filter(({ to, names, isType }) => {
      const words = Object.hasOwn(banned, to) ? banned[to] : undefined
      if (words === undefined || isType) return false
      return words === ANY || names.length === 0 || names.some((name) => words.includes(name))
    })
    .map(({ specifier }) => specifier)

/** The places of these identifiers; with `object`, only as its members. */
const identifiers = (
  source: Source,
  names: ReadonlyArray<string>,
  object?: string,
): ReadonlyArray<string> => {
  const found: Array<string> = []
  new Visitor(
    object === undefined
      ? { Identifier: ({ name }) => found.push(name) }
      : {
          MemberExpression: (node) => {
            if (node.object.type !== 'Identifier' || node.object.name !== object) return
            found.push(node.property.type === 'Identifier' ? node.property.name : '')
          },
        },
  ).visit(parsed(source).program)
  return found.filter((name) => names.includes(name))
}

/** All string literals of a source. */
const texts = (source: Source): ReadonlyArray<string> => {
  const found: Array<string> = []
  new Visitor({
    Literal: ({ value }) => typeof value === 'string' && found.push(value),
    TemplateElement: ({ value }) => found.push(value.raw),
  }).visit(parsed(source).program)
  return found
}
