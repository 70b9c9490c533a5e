import { errorResponseTo, type Failure, type FailureOf } from '../operation/failures.ts'
import { type Html, html } from '../operation/html.ts'
import { errorResponse, type HttpResponse } from '../operation/response.ts'
import { alertHtml } from './fields.ts'
import type { Page, ToResponse } from './layout.ts'

/** A page of another origin, or a link, sent the form. */
export type SentFromElsewhere = Readonly<{ _tag: 'SentFromElsewhere' }>

/** Every failure of a form, except problems with its fields. */
export type FormFailure = SentFromElsewhere | FailureOf<(typeof FORM_FAILURES)[number]>

const FORM_FAILURES = [
  'MalformedRequest',
  'BodyTooLarge',
  'UnsupportedBody',
  'Throttled',
  'Overloaded',
  'Abandoned',
  'PasswordCheckUnavailable',
  'KeyUnusable',
  'StoreUnavailable',
] as const satisfies ReadonlyArray<Failure['_tag']>

/**
 * Returns the page of a failure, with the status and headers that the API gives it.
 *
 * @param form the form again, for a failure that can pass
 */
export const failurePage = (
  toResponse: ToResponse,
  failure: FormFailure,
  { heading, form }: Readonly<{ heading: string; form: Html }>,
): HttpResponse => {
  const { body: _, ...response } = responseTo(failure)
  const { title, text, canRepeat } = explain(failure)
  const page: Page = {
    heading,
    titlePrefix: 'Error: ',
    content: html`${alertHtml(title, html`<p>${text}</p>`)}${canRepeat && form}`,
  }
  const shown = toResponse(page)
  return { ...response, headers: { ...shown.headers, ...response.headers }, ...contentOf(shown) }
}

const contentOf = ({ content }: HttpResponse) => (content === undefined ? {} : { content })

const responseTo = (failure: FormFailure): HttpResponse =>
  failure._tag === 'SentFromElsewhere' ? errorResponse(403, '') : errorResponseTo(failure)

type Explanation = Readonly<{ title: string; text: string; canRepeat: boolean }>

const explain = (failure: FormFailure): Explanation => {
  switch (failure._tag) {
    case 'SentFromElsewhere':
      return {
        title: 'The form came from another site',
        text: 'Nothing was changed. Open this page from your application, and fill in the form here.',
        canRepeat: false,
      }
    case 'MalformedRequest':
    case 'BodyTooLarge':
    case 'UnsupportedBody':
      return {
        title: 'The form could not be read',
        text: 'Nothing was changed. Open this page again, and fill in the form again.',
        canRepeat: false,
      }
    case 'Throttled':
      return {
        title: failure.tooMany === undefined ? 'Too many failed attempts' : 'Too many attempts',
        text: failure.untilCleared
          ? 'Nothing was changed. The service takes no more codes of your app until you use a recovery code or a passkey, or recover your account in the application.'
          : `Nothing was changed. Wait ${durationText(failure.retryAfterSeconds)}, then try again.`,
        canRepeat: true,
      }
    case 'Overloaded':
    case 'Abandoned':
    case 'PasswordCheckUnavailable':
      return BUSY
    case 'KeyUnusable':
      return {
        title: 'The service cannot check codes of your app now',
        text: 'Nothing was changed. Use a recovery code, or try again later.',
        canRepeat: true,
      }
    case 'StoreUnavailable':
      return failure.outcome === 'unknown'
        ? {
            title: 'The outcome is unknown',
            text: 'The change was made completely, or not at all. Return to the application and check before you try again.',
            canRepeat: true,
          }
        : BUSY
  }
}

const BUSY: Explanation = {
  title: 'The service is busy',
  text: 'Nothing was changed. Try again in a few seconds.',
  canRepeat: true,
}

/** Returns a time to wait in words. It rounds minutes and hours up. */
export const durationText = (seconds: number): string => {
  if (seconds <= A_MINUTE_AND_A_HALF) return counted(seconds, 'second')
  const minutes = Math.ceil(seconds / 60)
  return minutes <= TWO_HOURS ? counted(minutes, 'minute') : counted(Math.ceil(seconds / 3600), 'hour')
}

const A_MINUTE_AND_A_HALF = 90
const TWO_HOURS = 120

const counted = (number: number, unit: string): string => `${number} ${unit}${number === 1 ? '' : 's'}`
