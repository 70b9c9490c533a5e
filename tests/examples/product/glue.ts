import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { type GetProfileAnswer, PortcullisUnavailable, type UserMethods } from 'portcullis-client'
import { auth } from '../front-ends/auth.ts'
import { SORRY } from '../front-ends/pages.ts'

export type Signed = Response<string, { user: UserMethods; profile: GetProfileAnswer }>

export const requireSameOrigin: RequestHandler = (request, response, next) => {
  const isOurs = request.method === 'GET' || request.get('Sec-Fetch-Site') === 'same-origin'
  return isOurs ? next() : response.sendStatus(403)
}
export const requireUser = async (request: Request, response: Signed, next: () => void) => {
  const { user, profile, setCookies } = await auth.cookies.visitor(request.headers.cookie)
  response.append('Set-Cookie', setCookies).set('Cache-Control', 'no-store')
  if (!profile) return response.redirect(303, '/sign_in')
  Object.assign(response.locals, { user, profile })
  return next()
}
export const fail: ErrorRequestHandler = (error, _request, response, next) =>
  error instanceof PortcullisUnavailable
    ? response.status(503).send(SORRY)
    : next(error.name === 'RequestRefused' ? new Error(error.message) : error) // express would answer with its status
