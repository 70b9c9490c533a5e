import { succeed } from './outcome.ts'
import { CONTEXT } from './request-context.ts'
import type { RunningService } from './running-service.ts'

/** A token of a new application with only this scope. */
export const scopedToken = async ({ service, send }: RunningService, scope: string): Promise<string> => {
  const made = await succeed(service.registerApplication(CONTEXT, { name: scope.slice(0, 100), scope }))
  const { body } = await send({
    method: 'POST',
    path: '/api/v1/auth/application/token',
    body: { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey },
  })
  return body.token
}
