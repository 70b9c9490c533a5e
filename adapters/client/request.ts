import { wireName } from './names.ts'
import type { Operation, Options } from './results.ts'
import type { Fetch } from './send.ts'

export type ClientRequest = Readonly<{
  operation: Operation
  input: Readonly<Record<string, unknown>>
  options: Options
  /** The token of the application or the user. */
  token: string | undefined
}>

export type Server = Readonly<{ url: string; publicApiKey: string; privateApiKey: string }>

/** The request of one attempt: what `fetch` takes. */
export const requestOf = (server: Server, sent: ClientRequest, signal: AbortSignal): Parameters<Fetch> => {
  const { method = 'POST', isForm } = sent.operation
  const fields = fieldsOf(sent)
  const form = new URLSearchParams(fields.map(([name, value]) => [name, String(value)])).toString()
  const hasBody = method !== 'GET' && (takesInput(sent.operation) || fields.length > 0)
  const url = urlOf(server.url, sent)
  if (method === 'GET') url.search = form
  const headers = new Headers(headersOf(server, sent))
  if (hasBody) headers.set('Content-Type', isForm ? 'application/x-www-form-urlencoded' : 'application/json')
  return [
    url.href,
    {
      method,
      headers,
      signal,
      redirect: 'manual',
      cache: 'no-store',
      // As text, Deno would send it again by itself after an answer that was lost: a password twice.
      ...(hasBody && { body: new Blob([isForm ? form : JSON.stringify(Object.fromEntries(fields))]) }),
    },
  ]
}

/** The fields by their names on the wire. The path of a tile is none. */
const fieldsOf = ({
  operation,
  input,
}: ClientRequest): ReadonlyArray<readonly [name: string, value: unknown]> =>
  Object.entries(input)
    // In JSON, null removes an attribute, and other fields count as missing. Elsewhere it would be a text.
    .filter(
      ([name, value]) =>
        value !== undefined &&
        (value !== null || isJson(operation)) &&
        !(isPrefix(operation) && name === 'path'),
    )
    .map(([name, value]) => [wireName(name), value])

const isJson = ({ method, isForm }: Operation): boolean => method !== 'GET' && isForm === undefined

/** What the request of an operation carries. */
export const tokenOf = ({ path, token }: Operation): NonNullable<Operation['token']> => {
  if (token !== undefined || path.startsWith('/')) return token ?? 'none'
  return path.startsWith('profile') ? 'user' : 'application'
}

/** Whether the method of an operation takes fields. */
export const takesInput = ({ method, takesInput: told = method === undefined }: Operation): boolean => told

/** The rest of the path is in the input. */
const isPrefix = ({ path }: Operation): boolean => path.endsWith('/')

const urlOf = (server: string, { operation, input }: ClientRequest): URL => {
  const { path, isAtRoot } = operation
  const url = new URL(server)
  const prefix = url.pathname.replace(/\/$/, '')
  const rest = isPrefix(operation) ? String(input.path) : ''
  if (rest !== '' && !TILE.test(rest)) throw new TypeError('path must be that of a tile, such as 0/x001/234.')
  const from = path.startsWith('/') ? path : `/api/v1/${path}`
  url.pathname = `${isAtRoot ? '' : prefix}${from}${rest}`
  return url
}

/** A path that stays below its route. */
const TILE = /^[\w-]+(\/[\w-]+(\.[\w-]+)?)*$/

const headersOf = (
  { publicApiKey, privateApiKey }: Server,
  { operation, options, token }: ClientRequest,
) => ({
  ...(operation.token === 'keys' && { Authorization: basic(publicApiKey, privateApiKey) }),
  ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  ...(options.endUserAddress !== undefined && { 'X-End-User-Address': options.endUserAddress }),
})

/** RFC 6749 §2.3.1: both are form-encoded first. */
const basic = (publicApiKey: string, privateApiKey: string): string => {
  const encoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
  return `Basic ${btoa(`${encoded(publicApiKey)}:${encoded(privateApiKey)}`)}`
}
