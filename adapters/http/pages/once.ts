import type { HttpResponse } from '../operation/response.ts'

/**
 * Gives two equal forms within a minute one answer: a person who clicks twice never reads that a change failed which was made. Each form
 * has 128 random bits that only its reader has seen, so a form stands for its browser.
 */
export type Once = Readonly<{
  /** @param form all that was sent, with the path and the random bits */
  answer: (form: string, answer: () => Promise<HttpResponse>) => Promise<HttpResponse>
}>

type Kept = Readonly<{ sinceMs: number; response: Promise<HttpResponse> }>

const KEPT_MS = 60_000

/** A bound on memory. When it is reached, the oldest answer goes: its second click is judged anew. */
const MOST_KEPT = 1_000

/** @param digest of a form, so that no password waits in memory */
export const once = ({
  now,
  digest,
}: Readonly<{ now: () => number; digest: (text: string) => string }>): Once => {
  const kept = new Map<string, Kept>()
  const keep = (key: string, response: Promise<HttpResponse>): void => {
    kept.delete(key) // a later one is newer than all others
    kept.set(key, { sinceMs: now(), response })
    for (const [oldest, { sinceMs }] of kept) {
      if (kept.size <= MOST_KEPT && now() - sinceMs <= KEPT_MS) break
      kept.delete(oldest)
    }
  }
  return {
    answer: async (form, answer) => {
      const key = digest(form)
      const known = kept.get(key)
      if (known !== undefined && now() - known.sinceMs <= KEPT_MS) {
        const response = await known.response
        if (isLasting(response)) return response
      }
      const response = answer()
      keep(key, response)
      return response
    },
  }
}

/** Something else may come of the same form later: the service was busy, or the first click went away. */
const isLasting = ({ status }: HttpResponse): boolean => status < 400 || status === 422
