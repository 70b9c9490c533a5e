/** An answer of a front end to a browser. */
export type Answered = Readonly<{
  status: number
  location: string | null
  /** How many cookies it sets. */
  cookies: number
  /** The lifetime of its first cookie in seconds; NaN without one. */
  age: number
  page: string
  /** The texts by input. `alert` is above the inputs. */
  texts: Fields
}>

type Fields = Readonly<Record<string, string>>

/** All that a cookie must have, and no more. */
const COOKIE = /^(__Host-[\w.-]+)=([\w-]*); Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=(\d+)$/

/** A browser without scripts, which sends its cookies. */
export const visitorOf = (url: string) => {
  const jar = new Map<string, string>()
  const kept = (): string => [...jar].map((cookie) => cookie.join('=')).join('; ')
  const ask = async (path: string, init: RequestInit): Promise<Answered> => {
    const answer = await fetch(`${url}${path}`, { redirect: 'manual', ...init })
    const { status, headers } = answer
    const page = await answer.text()
    const ages = headers.getSetCookie().map((line) => {
      const [, name = '', value = '', age] = COOKIE.exec(line) ?? []
      if (age === '0') jar.delete(name)
      else jar.set(name, value)
      return Number(age)
    })
    return {
      status,
      location: headers.get('location'),
      cookies: ages.length,
      age: ages[0] ?? Number.NaN,
      page,
      texts: textsIn(page),
    }
  }
  return {
    /** The cookies that the front end has set. */
    cookie: kept,
    get: (path: string, cookie = kept()) => ask(path, { headers: { cookie } }),
    post: (path: string, fields: Fields, headers: Fields = { 'sec-fetch-site': 'same-origin' }) =>
      ask(path, {
        method: 'POST',
        headers: { cookie: kept(), ...headers },
        body: new URLSearchParams(fields),
      }),
  }
}

const textsIn = (page: string): Fields => {
  const [, alert = ''] = /role="alert">([^<]*)</.exec(page) ?? []
  const atInputs = [...page.matchAll(/<strong id="(\w+)">([^<]+)</g)].map(([, id, text]) => [id, text])
  return Object.fromEntries(alert === '' ? atInputs : [['alert', alert], ...atInputs])
}
