import * as TE from 'fp-ts/lib/TaskEither.js'
import type { OpenAPIV3_1 } from 'openapi-types'
import { BASE_STYLE } from '../operation/base-style.ts'
import { PUBLIC } from '../operation/guards.ts'
import { contentPolicy, htmlPage, PAGE_HEADERS } from '../operation/html.ts'
import { type OperationSpec, operation, type Responder } from '../operation/operation.ts'
import { redirect } from '../operation/redirect.ts'
import type { HttpResponse } from '../operation/response.ts'
import { type Route, withPrefix } from '../operation/route.ts'
import { text } from '../operation/schema.ts'
import { ICON } from './icon.ts'
import { pageOf } from './page.ts'
import { DOCS_STYLE } from './style.ts'

/**
 * The reference as one self-contained HTML page.
 *
 * @param document called once, for the first request
 * @param publicUrl the URL at which clients reach the service
 * @param prefix the path part of the public URL
 */
export const docsRoutes = (
  document: () => OpenAPIV3_1.Document,
  publicUrl: string,
  prefix: string,
): ReadonlyArray<Route> => {
  const files = { style: BASE_STYLE + DOCS_STYLE, icon: ICON }
  const policy = contentPolicy(files.style, "'none'")
  let page: HttpResponse | undefined
  const response = (): HttpResponse => {
    page ??= htmlPage(Buffer.from(pageOf(document(), publicUrl, files)), policy)
    return page
  }
  const get = operation(SPEC, () => TE.fromIO(response))
  return withPrefix(prefix, [{ path: '/docs', methods: { GET: get, HEAD: get } }])
}

/** Leads from the root of the prefix to the page. The target is relative, so it is also right behind a proxy with another prefix. */
export const rootRoutes = (prefix: string): ReadonlyArray<Route<Responder>> =>
  withPrefix(prefix, [redirect('/', 302, 'docs')])

const SPEC = {
  id: 'describeForPeople',
  tag: 'Operation',
  summary: 'Get this description as a page',
  access: PUBLIC,
  details: 'The page has no scripts and loads no other resources.',
  successes: [
    {
      status: 200,
      description: 'An HTML page.',
      type: 'text/html',
      body: text('The page.'),
      headers: {
        'Content-Security-Policy': {
          description: 'Permits only the embedded style, by its hash, and the icon.',
          required: true,
          schema: { type: 'string', pattern: "^default-src 'none'; style-src 'sha256-" },
        },
        'Referrer-Policy': {
          description: 'Links on the page send no referrer.',
          required: true,
          schema: { type: 'string', enum: [PAGE_HEADERS['Referrer-Policy']] },
        },
        'Cross-Origin-Opener-Policy': {
          description: 'The page shares no browsing context with other origins.',
          required: true,
          schema: { type: 'string', enum: [PAGE_HEADERS['Cross-Origin-Opener-Policy']] },
        },
      },
    },
  ],
  examples: [],
} as const satisfies OperationSpec
