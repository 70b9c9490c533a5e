import type { ApplicationUnknown } from '../../../application/recording/application-by-id.ts'
import { NO_REQUEST } from '../../../application/recording/recorder.ts'
import type { ApplicationRevoked } from '../../../application/rotate-application-key.ts'
import { KEEP_IT } from './application-create.ts'
import { orRefuse, withOperations } from './operations.ts'
import { printOne, rfc3339 } from './print.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis application rotate` */
export const applicationRotate = (
  terminal: Terminal,
  id: string,
  { overlap, json }: { overlap: number; json: boolean },
): Promise<void> =>
  withOperations(terminal, async ({ rotateApplicationKey }) => {
    const rotated = await orRefuse(
      rotateApplicationKey(NO_REQUEST, { id, overlapSeconds: overlap }),
      ({ _tag }: ApplicationUnknown | ApplicationRevoked) => SENTENCES[_tag],
    )
    const shown = {
      id: rotated.id,
      public_api_key: rotated.publicApiKey,
      private_api_key: rotated.privateApiKey,
      previous_until: rfc3339(rotated.previousUntilSeconds),
    }
    printOne(terminal, json, shown, KEEP_IT)
  })

export const APPLICATION_UNKNOWN = 'No application has this id. See: portcullis application list'

const SENTENCES: Readonly<Record<(ApplicationUnknown | ApplicationRevoked)['_tag'], string>> = {
  ApplicationUnknown: APPLICATION_UNKNOWN,
  ApplicationRevoked: 'This application is revoked for good. Make another: portcullis application create',
}
