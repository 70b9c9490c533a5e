import type { ApplicationRevoked } from '../../application/applications/rotate-application-key.ts'
import type { ApplicationUnknown } from '../../application/recording/change-application.ts'
import { SAVE_KEY } from './application-create.ts'
import type { CommandContext } from './command-context.ts'
import { runOrFail, withOperations } from './operations.ts'
import { printRecord, rfc3339 } from './print.ts'

/** `portcullis application rotate` */
export const applicationRotate = (
  context: CommandContext,
  id: string,
  { overlap, json }: { overlap: number; json: boolean },
): Promise<void> =>
  withOperations(context, async ({ rotateApplicationKey }, asOperator) => {
    const rotated = await runOrFail(
      rotateApplicationKey(asOperator, { id, overlapSeconds: overlap }),
      ({ _tag }: ApplicationUnknown | ApplicationRevoked) => SENTENCES[_tag],
    )
    const record = {
      id: rotated.id,
      public_api_key: rotated.publicApiKey,
      private_api_key: rotated.privateApiKey,
      previous_until: rfc3339(rotated.previousUntilSeconds),
    }
    printRecord(context, { json, record, note: SAVE_KEY })
  })

export const APPLICATION_UNKNOWN = 'No application has this id. See: portcullis application list'

const SENTENCES: Readonly<Record<(ApplicationUnknown | ApplicationRevoked)['_tag'], string>> = {
  ApplicationUnknown: APPLICATION_UNKNOWN,
  ApplicationRevoked: 'This application is revoked. Create another: portcullis application create',
}
