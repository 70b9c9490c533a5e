import { hash } from 'node:crypto'
import type { HttpResponse } from './response.ts'

/** The response with an HTML page that a browser shows, without scripts and other resources. */
export const htmlPage = (page: string | Uint8Array, policy: string): HttpResponse => ({
  status: 200,
  headers: { ...PAGE_HEADERS, 'Content-Security-Policy': policy },
  content: { type: 'text/html; charset=utf-8', data: page },
})

/** Headers of every page: links send no referrer, and the page shares no browsing context with other origins. */
export const PAGE_HEADERS = { 'Referrer-Policy': 'no-referrer', 'Cross-Origin-Opener-Policy': 'same-origin' }

/** Permits only the embedded style and icon: no scripts, no other resources, and forms only to `formAction`. */
export const contentPolicy = (style: string, formAction: "'none'" | "'self'"): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ')
