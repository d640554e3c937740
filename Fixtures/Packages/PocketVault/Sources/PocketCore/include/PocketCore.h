#ifndef POCKET_CORE_H
#define POCKET_CORE_H

/// Returns 1 if the keychain has an item of the service and the account, 0 if it has none, and a negative result code.
int pocket_has(const char *service, const char *account);

#endif
