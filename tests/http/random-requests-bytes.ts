import type { Plan } from './random-requests-plans.ts'

/** The values of the placeholders in plans. */
export type Names = Readonly<Record<string, string>>

/** The pieces in which a plan is sent. */
export const piecesOf = (plan: Plan, names: Names): ReadonlyArray<Buffer> => {
  const whole = textOf(plan, names)
  const cuts = plan.cuts.map((at) => Math.floor(at * whole.length)).sort((one, other) => one - other)
  return [0, ...cuts]
    .map((from, index) => Buffer.from(whole.slice(from, cuts[index]), 'latin1'))
    .filter((piece) => piece.length > 0)
}

const textOf = (plan: Plan, values: Names): string => {
  const known = (text: string): string =>
    text.replaceAll(/%([A-Za-z]+)%/g, (all, name: string) => values[name] ?? all)
  const body = known(plan.body)
  const token = values[plan.token.of] ?? ''
  const authorization = token === '' && plan.token.scheme === 'Bearer ' ? '' : plan.token.scheme + token
  return [
    known(`${plan.method} ${plan.target} HTTP/1.1`),
    'Host: service.test',
    ...(authorization === '' ? [] : [`Authorization: ${authorization}`]),
    ...(plan.requestId === '' ? [] : [`X-Request-Id: ${known(plan.requestId)}`]),
    ...(plan.type === '' || plan.body === '' ? [] : [`Content-Type: ${known(plan.type)}`]),
    ...plan.headers.map(known),
    ...(body === '' ? [] : [`Content-Length: ${body.length}`]),
    '',
    body,
  ].join('\r\n')
}
