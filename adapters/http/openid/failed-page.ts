import type { Language } from '../../texts/languages.ts'
import { html } from '../operation/html.ts'
import type { HttpResponse } from '../operation/response.ts'
import { type FormFailure, failurePage } from '../pages/failures.ts'
import type { Site } from '../pages/visit.ts'
import { choicesIn, wishesIn } from '../pages/wishes.ts'
import type { Request } from '../request/request.ts'

/** The language of a page that an endpoint of the provider shows. */
export const languageOf = ({ languages }: Site, { message, query }: Request): Language =>
  languages.find(
    ...choicesIn(new URLSearchParams(query()).get('ui_locales') ?? undefined),
    ...wishesIn(message.headers['accept-language']),
  )

/** The page of a failure of such an endpoint. */
export const failedPage = (site: Site, request: Request, failure: FormFailure): HttpResponse => {
  const language = languageOf(site, request)
  const heading = language.say('page.problem')
  return failurePage(language, site.layout(language), failure, { heading, form: html`` })
}
