import type { HttpResponse } from '../operation/response.ts'

/**
 * Gives two equal forms within a minute one answer: a person who clicks twice never reads that a change failed which was made. Each form
 * has 128 random bits.
 */
export type Once = Readonly<{
  /**
   * @param form all that was sent, with the path and the random bits. The cookies and the origin count too: a browser can send a form again
   * after the sign-out, for the next person, and another site can send one that its owner has sent before
   */
  answer: (form: string, answer: () => Promise<HttpResponse>) => Promise<HttpResponse>
}>

type Kept = Readonly<{ sinceMs: number; response: Promise<HttpResponse> }> & { bytes: number }

const KEPT_MS = 60_000

/**
 * Bounds on memory: strangers can send forms too, and a page may have a logo. When one is reached, the oldest answer goes: its second click
 * is judged anew.
 */
const MOST_KEPT = 1_000
const MOST_BYTES = 8 * 1024 * 1024

/** @param digest of a form, so that no password waits in memory */
export const once = ({
  now,
  digest,
}: Readonly<{ now: () => number; digest: (text: string) => string }>): Once => {
  const kept = new Map<string, Kept>()
  let bytes = 0
  const forget = (key: string, one: Kept): void => {
    if (kept.get(key) !== one) return
    kept.delete(key)
    bytes -= one.bytes
  }
  const makeRoom = (): void => {
    for (const [key, oldest] of kept) {
      const isOver = kept.size > MOST_KEPT || bytes > MOST_BYTES
      if (!isOver && !hasEnded(oldest)) break
      forget(key, oldest)
    }
  }
  const hasEnded = ({ sinceMs }: Kept): boolean => now() - sinceMs > KEPT_MS
  const keep = (key: string, response: Promise<HttpResponse>): void => {
    const one: Kept = { sinceMs: now(), response, bytes: 0 }
    kept.set(key, one)
    makeRoom()
    const settled = (answer?: HttpResponse): void => {
      if (answer === undefined || !isLasting(answer)) forget(key, one)
      if (answer === undefined || kept.get(key) !== one) return
      one.bytes = bytesOf(answer)
      bytes += one.bytes
      makeRoom()
    }
    response.then(settled, () => settled())
  }
  return {
    answer: async (form, answer) => {
      const key = digest(form)
      for (;;) {
        const known = kept.get(key)
        if (known === undefined) break
        const response = hasEnded(known) ? undefined : await known.response.catch(() => undefined)
        if (response !== undefined && isLasting(response)) return response
        forget(key, known) // of several that waited for it, the first makes the next answer
      }
      const response = answer()
      keep(key, response)
      return response
    },
  }
}

/** Something else may come of the same form later: the service was busy, or the first click went away. */
const isLasting = ({ status }: HttpResponse): boolean => status < 400 || status === 422

const bytesOf = ({ content, cookies = [] }: HttpResponse): number =>
  [content?.data ?? '', ...cookies].reduce((sum, part) => sum + part.length, 0)
