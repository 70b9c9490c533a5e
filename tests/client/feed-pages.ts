import { answer, type Play } from './faulty-server.ts'

export const EPOCH = '3fa81c02'

/** An event of the feed, as the service writes it. */
export const event = (position: number, type = 'UserSignedIn', epoch = EPOCH): object => ({
  specversion: '1.0',
  id: `event-${position}`,
  source: `https://id.example.com/auth/api/v1/log/${epoch}`,
  type: `portcullis.${type}`,
  subject: 'user/1',
  time: '2026-01-02T03:04:05.678Z',
  sequence: String(position).padStart(15, '0'),
  datacontenttype: 'application/json',
  data: { position, type, data: { session_id: 's' } },
})

/** A page of the feed, and the position behind it. */
export const page = (events: ReadonlyArray<object>, behind: number, epoch = EPOCH): Play =>
  batch(events, { Link: `</auth/api/v1/events?after=${epoch}:${behind}&limit=500&wait=30>; rel="next"` })

export const batch = (events: ReadonlyArray<object>, headers: Readonly<Record<string, string>>): Play =>
  answer(
    200,
    { 'Content-Type': 'application/cloudevents-batch+json; charset=utf-8', ...headers },
    JSON.stringify(events),
  )
