import type { Overloaded } from '../../../application/ports/failures.ts'
import { html } from '../operation/html.ts'
import type { MalformedRequest } from '../request/request.ts'
import type { AccessRefusal } from './access.ts'
import type { Page } from './layout.ts'
import type { ScreenFailure } from './parts.ts'

/** Pages that say why something was refused, or failed, and what to do. */

export const NOT_FOUND: Page = {
  heading: 'There is no such page',
  status: 404,
  content: html`<p>Choose a screen above.</p>`,
}

export const MALFORMED: Page = {
  heading: 'The request cannot be read',
  status: 400,
  content: html`<p>Nothing was changed. Go back, reload the page, and try again.</p>`,
}

const HOW_TO_OPEN = html`<p>Open the URL that <code>portcullis console</code> has printed. It works once, for one browser.</p>
<p>If you have just opened it here: <a href="today">go on</a>.</p>`

export const USED: Page = {
  heading: 'This URL was used already',
  status: 403,
  content: html`<p>If you did not use it yourself, stop the console now: press Ctrl-C in its terminal. Otherwise go on in the browser that opened it, or start the console again.</p>`,
}

export const OPENED: Page = {
  heading: 'The console is open',
  content: html`<p><a href="today">Go on</a></p>`,
}

export const REFUSED: Readonly<Record<AccessRefusal, Page>> = {
  other_host: {
    heading: 'The console has another address',
    status: 421,
    content: html`<p>Its address is 127.0.0.1 or localhost. From another machine, use <code>ssh -L</code>.</p>`,
  },
  no_session: { heading: 'The console is not open in this browser', status: 403, content: HOW_TO_OPEN },
  from_elsewhere: {
    heading: 'The form came from another page',
    status: 403,
    content: html`<p>Nothing was changed. A form of the console has the headers <code>Sec-Fetch-Site: same-origin</code> and an <code>Origin</code> equal to <code>Host</code>. Each current browser sends them.</p>`,
  },
}

type Failure =
  | ScreenFailure
  | Overloaded
  | MalformedRequest
  | Readonly<{ _tag: 'StoreClosed'; reason: string }>

/** Returns the page of a failure. */
export const failurePage = (failure: Failure): Page => {
  const of = (heading: string, text: string, status = 503): Page => ({
    heading,
    status,
    content: html`<p role="alert">${text}</p>`,
  })
  switch (failure._tag) {
    case 'StoreUnavailable':
      return failure.outcome === 'unknown'
        ? of(
            'The outcome is unknown',
            `The store failed during the change: ${failure.reason}. The change was made completely, or not at all. Look at the events before you try again.`,
          )
        : of('The store is unavailable', `${failure.reason}. Nothing was changed. Reload this page.`)
    case 'ReadModelUnavailable':
      return of('The read model is unavailable', failure.reason)
    case 'StoreClosed':
      return of('The store takes no change', failure.reason, 409)
    case 'MalformedRequest':
      return { ...MALFORMED, content: html`<p>${failure.message}</p>` }
    case 'Overloaded':
      return of('The store is busy', 'Nothing was changed. Try again later.')
    case 'OtherEpoch':
    case 'BeyondEnd':
      return {
        heading: 'The log has changed',
        status: 409,
        content: html`<p role="alert">It was restored or renewed, so the older events of this list may be others now.</p>
<p><a href="events">Newest events</a></p>`,
      }
  }
}
