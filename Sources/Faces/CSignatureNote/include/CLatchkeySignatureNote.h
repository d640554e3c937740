#ifndef LATCHKEY_SIGNATURE_NOTE_H
#define LATCHKEY_SIGNATURE_NOTE_H

/* Nothing to call: linking this is enough. It reserves the place for a program's signature
   (Docs/Formats/code-signature.md). */

#endif
