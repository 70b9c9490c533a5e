import { getCiphers, getHashes } from 'node:crypto'
import { parseSync, Visitor } from 'oxc-parser'
import { importsOf, type Source } from './imports.ts'

/** What in a source is a sign that it does something which no source of the service does. */
export type Signs = (source: Source) => ReadonlyArray<string>

/** That it starts a process, or runs what is given to it as text. */
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

/** That it opens a connection to anybody but the database that settings name. */
export const ofConnections: Signs = (source) => [
  ...imported(source, {
    ...(POSTGRES.test(source.path) ? {} : { pg: ANY }),
    'node:dgram': ANY,
    'node:dns': ANY,
    'node:http2': ANY,
    'node:https': ANY,
    'node:tls': ANY,
    'node:http': ['request', 'get', 'Agent', 'ClientRequest', 'globalAgent'],
    'node:net': ['connect', 'createConnection'],
    jose: ['createRemoteJWKSet'],
  }),
  ...identifiers(source, ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']),
]

/** That it takes chance from where others can foretell it. */
export const ofWeakChance: Signs = (source) => identifiers(source, ['random'], 'Math')

/** That it knows a hash besides SHA-256 and SHA-512, or a cipher besides AES-256-GCM. */
export const ofOtherAlgorithms: Signs = (source) => {
  const usesCrypto = importsOf(source).some(({ to }) => to === 'node:crypto')
  const named = texts(source).filter((text) => ALGORITHMS.has(text.toLowerCase()))
  return usesCrypto ? named.filter((text) => !(text === 'sha1' && LEAKED_LIST.test(source.path))) : []
}

const ANY = 'whatever is imported'

const ALGORITHMS = new Set(
  [...getCiphers(), ...getHashes()]
    .map((name) => name.toLowerCase())
    .filter((name) => !['sha256', 'sha512', 'aes-256-gcm'].includes(name)),
)

/** It knows one place, which is given to it. */
const POSTGRES = /^adapters\/driven\/postgres\//

/** Lists of leaked passwords are published as SHA-1 digests, and nothing is protected by looking one up. */
const LEAKED_LIST = /^adapters\/driven\/leaked-list\//

/** The imports of what must not be imported. A module that is taken as a whole has all of it. */
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

/** Where these identifiers stand, whatever for: as members of `object` only, where one is named. */
const identifiers = (
  { path, text }: Source,
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
  ).visit(parseSync(path, text).program)
  return found.filter((name) => names.includes(name))
}

/** Every text that stands in a source. */
const texts = ({ path, text }: Source): ReadonlyArray<string> => {
  const found: Array<string> = []
  new Visitor({
    Literal: ({ value }) => typeof value === 'string' && found.push(value),
    TemplateElement: ({ value }) => found.push(value.raw),
  }).visit(parseSync(path, text).program)
  return found
}
