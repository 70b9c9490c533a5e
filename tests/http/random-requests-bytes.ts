import type { SigningKey } from '../../domain/signing-key.ts'
import { forgeJwt, forgePaseto } from '../tokens/forge.ts'
import type { Damage, Plan, TokenPlan, Twist } from './random-requests-plans.ts'

/** The values of the placeholders in plans, and the keys that sign the service’s tokens. */
export type Names = Readonly<{
  values: Readonly<Record<string, string>>
  keys: Readonly<{ application: SigningKey; user: SigningKey }>
}>

/** The pieces in which a plan is sent. */
export const piecesOf = (plan: Plan, names: Names): ReadonlyArray<Buffer> => {
  const whole = plan.damage.reduce(damaged, textOf(plan, names))
  const cuts = plan.cuts.map((at) => Math.floor(at * whole.length)).sort((one, other) => one - other)
  return [0, ...cuts]
    .map((from, index) => Buffer.from(whole.slice(from, cuts[index]), 'latin1'))
    .filter((piece) => piece.length > 0)
}

const textOf = (plan: Plan, { values, keys }: Names): string => {
  const known = (text: string): string =>
    text.replaceAll(/%([A-Za-z]+)%/g, (all, name: string) => values[name] ?? all)
  const { lines, content } = framed(plan.framing, known(plan.body))
  const authorization = tokenText(plan.token, values, keys)
  return [
    known(`${plan.method} ${plan.target}${plan.version === '' ? '' : ` ${plan.version}`}`),
    ...(plan.host === '' ? [] : [known(plan.host)]),
    ...(authorization === '' ? [] : [`Authorization: ${authorization}`]),
    ...(plan.requestId === '' ? [] : [`X-Request-Id: ${known(plan.requestId)}`]),
    ...(plan.type === '' || plan.body === '' ? [] : [`Content-Type: ${known(plan.type)}`]),
    ...plan.headers.map(known),
    ...lines,
    '',
    content,
  ].join('\r\n')
}

const framed = (
  framing: Plan['framing'],
  body: string,
): Readonly<{ lines: ReadonlyArray<string>; content: string }> => {
  if (body === '') return { lines: [], content: '' }
  const length = (of: number | string) => `Content-Length: ${of}`
  const chunked = 'Transfer-Encoding: chunked'
  const chunk = (text: string, extension = '') => `${text.length.toString(16)}${extension}\r\n${text}\r\n`
  const chunks = (size: number, extension = ''): string =>
    (body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map((part) => chunk(part, extension)).join('')
  const last = '0\r\n\r\n'
  switch (framing) {
    case 'length':
      return { lines: [length(body.length)], content: body }
    case 'chunks':
      return { lines: [chunked], content: chunk(body) + last }
    case 'small chunks':
      return { lines: [chunked], content: chunks(Math.ceil(body.length / 20)) + last }
    case 'chunk extensions':
      return { lines: [chunked], content: chunks(Math.ceil(body.length / 3), ';a="b"') + last }
    case 'trailers':
      return {
        lines: [chunked],
        content: `${chunk(body)}0\r\nAuthorization: Bearer x\r\nX-Trailer: y\r\n\r\n`,
      }
    case 'too long':
      return { lines: [length(body.length + 5)], content: body }
    case 'too short':
      return { lines: [length(Math.floor(body.length / 2))], content: body }
    case 'both':
      return { lines: [length(body.length), chunked], content: chunk(body) + last }
    case 'two lengths':
      return { lines: [length(body.length), length(body.length + 1)], content: body }
    case 'negative':
      return { lines: [length(-body.length)], content: body }
    case 'no number':
      return { lines: [length(`0x${body.length.toString(16)}`)], content: body }
    case 'bad chunk':
      return { lines: [chunked], content: `${chunk(body).replace('\r\n', 'g\r\n')}${last}` }
    case 'no last chunk':
      return { lines: [chunked], content: chunk(body) }
    case 'encoded':
      return { lines: ['Transfer-Encoding: gzip, chunked'], content: chunk(body) + last }
  }
}

const tokenText = (
  { scheme, of, twist }: TokenPlan,
  values: Names['values'],
  keys: Names['keys'],
): string => {
  const token = values[of] ?? ''
  return token === '' && scheme === 'Bearer ' ? '' : scheme + twisted(token, twist, keys)
}

const twisted = (token: string, twist: Twist, keys: Names['keys']): string => {
  switch (twist.how) {
    case 'none':
      return token
    case 'doubled':
      return token + token
    case 'upper case':
      return token.toUpperCase()
    case 'without signature':
      return token.slice(0, token.lastIndexOf('.') + 1)
    case 'flipped': {
      const at = Math.floor(twist.at * token.length)
      const flipped = String.fromCharCode(token.charCodeAt(at) ^ (1 << twist.bit)).replace(/[\r\n]/, '!')
      return token === '' ? '' : token.slice(0, at) + flipped + token.slice(at + 1)
    }
    case 'cut':
      return token.slice(0, Math.floor(twist.at * token.length))
    case 'insert': {
      const at = Math.floor(twist.at * token.length)
      return token.slice(0, at) + twist.text + token.slice(at)
    }
    case 'claim':
      return token.startsWith('v4.public.')
        ? forgePaseto(keys.user, withClaim(pasetoPayload(token), twist.name, twist.value))
        : forgeJwt(keys.application, withClaim(jwtPayload(token), twist.name, twist.value))
  }
}

const SIGNATURE_BYTES = 64

const pasetoPayload = (token: string): string =>
  Buffer.from(token.split('.')[2] ?? '', 'base64url')
    .subarray(0, -SIGNATURE_BYTES)
    .toString()

const jwtPayload = (token: string): string => Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()

const withClaim = (payload: string, name: string, value: unknown): string => {
  const claims = Object.entries(payload.startsWith('{') ? JSON.parse(payload) : {})
  return JSON.stringify(Object.fromEntries([...claims.filter(([key]) => key !== name), [name, value]]))
}

const damaged = (text: string, damage: Damage): string => {
  const at = Math.floor(damage.at * text.length)
  const [before, after] = [text.slice(0, at), text.slice(at)]
  switch (damage.how) {
    case 'cut':
      return before
    case 'drop':
      return before + after.slice(damage.length)
    case 'insert':
      return before + damage.text + after
    case 'repeat':
      return before + after.slice(0, damage.length) + after
  }
}
