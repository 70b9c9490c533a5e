import type { ApplicationUnknown } from '../../../application/recording/application-by-id.ts'
import { NO_REQUEST } from '../../../application/recording/recorder.ts'
import { APPLICATION_UNKNOWN } from './application-rotate.ts'
import { orRefuse, withOperations } from './operations.ts'
import { printOne } from './print.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis application revoke` */
export const applicationRevoke = (
  terminal: Terminal,
  id: string,
  { json }: { json: boolean },
): Promise<void> =>
  withOperations(terminal, async ({ revokeApplication }) => {
    const revoked = await orRefuse(
      revokeApplication(NO_REQUEST, id),
      (_: ApplicationUnknown) => APPLICATION_UNKNOWN,
    )
    printOne(terminal, json, revoked, 'Revoked for good: its keys and its tokens are good no more.')
  })
