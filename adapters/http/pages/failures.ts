import type { PagesClosed } from '../../../application/pages/account-pages.ts'
import type { Language } from '../../texts/languages.ts'
import type { Say } from '../../texts/texts.ts'
import { errorResponseTo, type Failure, type FailureOf } from '../operation/failures.ts'
import { type Html, html } from '../operation/html.ts'
import { errorResponse, type HttpResponse } from '../operation/response.ts'
import { alertHtml } from './fields.ts'
import type { Page, ToResponse } from './layout.ts'

/** A page of another origin than `origin`, or a link, sent the form. */
export type SentFromElsewhere = Readonly<{ _tag: 'SentFromElsewhere'; origin: string }>

/** Every failure of a form, except problems with its fields. */
export type FormFailure = SentFromElsewhere | PagesClosed | FailureOf<(typeof FORM_FAILURES)[number]>

const FORM_FAILURES = [
  'MalformedRequest',
  'BodyTooLarge',
  'UnsupportedBody',
  'Throttled',
  'Overloaded',
  'Abandoned',
  'PasswordCheckUnavailable',
  'ProviderUnavailable',
  'KeyUnusable',
  'StoreUnavailable',
] as const satisfies ReadonlyArray<Failure['_tag']>

/**
 * Returns the page of a failure, with the status and headers that the API gives it.
 *
 * @param form the form again, for a failure that can pass
 */
export const failurePage = (
  { say }: Language,
  toResponse: ToResponse,
  failure: FormFailure,
  { heading, form }: Readonly<{ heading: string; form: Html }>,
): HttpResponse => {
  const { body: _, ...response } = responseTo(failure)
  const { title, text, canRepeat } = explain(failure, say)
  const page: Page = {
    heading,
    isError: true,
    content: html`${alertHtml(title, html`<p>${text}</p>`)}${canRepeat && form}`,
  }
  const shown = toResponse(page)
  return { ...response, headers: { ...shown.headers, ...response.headers }, ...contentOf(shown) }
}

const contentOf = ({ content }: HttpResponse) => (content === undefined ? {} : { content })

const responseTo = (failure: FormFailure): HttpResponse => {
  if (failure._tag === 'SentFromElsewhere') return errorResponse(403, '')
  return failure._tag === 'PagesClosed' ? errorResponse(503, '') : errorResponseTo(failure)
}

type Explanation = Readonly<{ title: string; text: string; canRepeat: boolean }>

const explain = (failure: FormFailure, say: Say): Explanation => {
  switch (failure._tag) {
    case 'SentFromElsewhere':
      return {
        title: say('fail.elsewhere.title'),
        text: say('fail.elsewhere.text', { origin: failure.origin }),
        canRepeat: false,
      }
    case 'MalformedRequest':
    case 'BodyTooLarge':
    case 'UnsupportedBody':
      return explanation(say, 'unreadable', false)
    case 'PagesClosed':
      return explanation(say, 'closed', false)
    case 'Throttled':
      return {
        title: say('fail.throttled.title'),
        text: failure.untilCleared
          ? say('fail.throttled.codes')
          : say('fail.throttled.text', { wait: durationText(say, failure.retryAfterSeconds) }),
        canRepeat: true,
      }
    case 'Overloaded':
    case 'Abandoned':
    case 'PasswordCheckUnavailable':
      return explanation(say, 'busy')
    case 'ProviderUnavailable':
      return explanation(say, 'provider')
    case 'KeyUnusable':
      return explanation(say, 'key')
    case 'StoreUnavailable':
      return explanation(say, failure.outcome === 'unknown' ? 'unknown' : 'busy')
  }
}

const explanation = (
  say: Say,
  name: 'unreadable' | 'closed' | 'busy' | 'provider' | 'key' | 'unknown',
  canRepeat = true,
): Explanation => ({ title: say(`fail.${name}.title`), text: say(`fail.${name}.text`), canRepeat })

/** Returns a time to wait in words. It rounds minutes and hours up. */
export const durationText = (say: Say, seconds: number): string => {
  if (seconds <= A_MINUTE_AND_A_HALF) return say('wait.seconds', { count: seconds })
  const minutes = Math.ceil(seconds / 60)
  return minutes <= TWO_HOURS
    ? say('wait.minutes', { count: minutes })
    : say('wait.hours', { count: Math.ceil(seconds / 3600) })
}

const A_MINUTE_AND_A_HALF = 90
const TWO_HOURS = 120
