import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Answer } from '../operation/answer.ts'
import { OF_IGNORED_BODIES, operation } from '../operation/operation.ts'
import { behind, type Route } from '../operation/route.ts'
import { constant, text } from '../operation/schema.ts'
import { ignoreBody } from '../request/body.ts'
import type { OpenApi } from './document.ts'
import { pageOf } from './page.ts'

/**
 * The reference for people: all of it is in one page, which needs nothing else. Every answer sends the same bytes.
 *
 * @param document is asked for once, at the first request
 * @param publicUrl where clients reach the service
 * @param prefix the path part of the public URL; it stands before the route
 */
export const docsRoutes = (
  document: () => OpenApi,
  publicUrl: string,
  prefix: string,
): ReadonlyArray<Route> => {
  const files = { style: fileBesides('style.css'), icon: fileBesides('icon.svg') }
  let made: Answer | undefined
  const answer = (): Answer => {
    made ??= {
      status: 200,
      headers: { ...FIXED, 'Content-Security-Policy': policy(files.style) },
      content: { type: 'text/html; charset=utf-8', data: Buffer.from(pageOf(document(), publicUrl, files)) },
    }
    return made
  }
  const get = operation(ABOUT, ({ message }) => pipe(ignoreBody(message), TE.map(answer)))
  return behind(prefix, [{ path: '/docs', methods: { GET: get, HEAD: get } }])
}

const fileBesides = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Nothing runs, nothing is sent and nothing is loaded: style and icon are in the page. */
const policy = (style: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const FIXED = { 'Referrer-Policy': 'no-referrer', 'Cross-Origin-Opener-Policy': 'same-origin' }

const ABOUT = {
  id: 'describeForPeople',
  group: 'Operation',
  summary: 'This description for people',
  details: 'It needs no script and loads nothing.',
  successes: [
    {
      status: 200,
      description: 'A page.',
      type: 'text/html',
      body: text('The page.'),
      headers: {
        'Content-Security-Policy': {
          description: 'What a browser may do with it: next to nothing.',
          required: true,
          schema: text('It names the style by its hash.', {
            pattern: "^default-src 'none'; style-src 'sha256-",
          }),
        },
        'Referrer-Policy': {
          description: 'Nobody learns where a link was followed from.',
          required: true,
          schema: constant(FIXED['Referrer-Policy']),
        },
        'Cross-Origin-Opener-Policy': {
          description: 'It shares nothing with other pages.',
          required: true,
          schema: constant(FIXED['Cross-Origin-Opener-Policy']),
        },
      },
    },
  ],
  fails: OF_IGNORED_BODIES,
  examples: [],
} as const
