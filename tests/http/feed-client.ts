import type { LogEntry } from '../../application/ports/store.ts'
import type { Answer } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import type { RunningService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { PUBLIC_URL } from '../support/settings.ts'

/** The event feed of a service, with the token of an application that may read it. */
export type Feed = Readonly<{
  running: RunningService
  ask: (query?: string, token?: string) => Promise<Answer>
  log: () => Promise<ReadonlyArray<LogEntry>>
}>

export const feedOf = async (running: RunningService): Promise<Feed> => {
  const reader = await scopedToken(running, 'events:read')
  return {
    running,
    ask: (query = '', token = reader) =>
      running.send({ method: 'GET', path: `/api/v1/events${query}`, token }),
    log: () => succeed(running.service.store.readEvents({ after: 0, limit: 10_000 })),
  }
}

/** The next page of an answer. */
export const nextOf = ({ headers }: Answer): URL => {
  const [, target = ''] = /^<([^>]+)>; rel="next"$/.exec(String(headers.link)) ?? []
  return new URL(target, PUBLIC_URL)
}

export const positionsIn = ({ body }: Answer): ReadonlyArray<number> =>
  body.map(({ sequence }: { sequence: string }) => Number(sequence))
