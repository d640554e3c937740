"""Uses a device in a process and in its forked workers, as `multiprocessing` does. Arguments: the paths of libSecurity.so.1 and of
libFoundation.so."""

import ctypes
import multiprocessing
import signal
import subprocess
import sys

security = ctypes.CDLL(sys.argv[1])
foundation = ctypes.CDLL(sys.argv[2])
reference, code, index = ctypes.c_void_p, ctypes.c_int32, ctypes.c_long

security.SecItemAdd.argtypes = [reference, ctypes.POINTER(reference)]
security.SecItemCopyMatching.argtypes = [reference, ctypes.POINTER(reference)]
for function in (security.SecItemAdd, security.SecItemCopyMatching):
    function.restype = code
foundation.CFStringCreateWithCString.restype = reference
foundation.CFStringCreateWithCString.argtypes = [reference, ctypes.c_char_p, ctypes.c_uint32]
foundation.CFDataCreate.restype = reference
foundation.CFDataCreate.argtypes = [reference, ctypes.c_char_p, index]
foundation.CFDataGetBytePtr.restype = ctypes.POINTER(ctypes.c_ubyte)
foundation.CFDataGetBytePtr.argtypes = [reference]
foundation.CFDataGetLength.restype = index
foundation.CFDataGetLength.argtypes = [reference]
foundation.CFArrayGetCount.restype = index
foundation.CFArrayGetCount.argtypes = [reference]
foundation.CFDictionaryCreate.restype = reference
foundation.CFDictionaryCreate.argtypes = [
    reference, ctypes.POINTER(reference), ctypes.POINTER(reference), index, reference, reference,
]


def constant(library, name):
    return reference.in_dll(library, name).value


def text(value):
    return foundation.CFStringCreateWithCString(None, value.encode(), 0x08000100)


def dictionary(pairs):
    keys, values = zip(*pairs)
    make = reference * len(pairs)
    return foundation.CFDictionaryCreate(
        None, make(*keys), make(*values), len(pairs),
        ctypes.addressof(ctypes.c_char.in_dll(foundation, "kCFTypeDictionaryKeyCallBacks")),
        ctypes.addressof(ctypes.c_char.in_dll(foundation, "kCFTypeDictionaryValueCallBacks")),
    )


def name(account):
    return [
        (constant(security, "kSecClass"), constant(security, "kSecClassGenericPassword")),
        (constant(security, "kSecAttrService"), text("forks")),
        (constant(security, "kSecAttrAccount"), text(account)),
    ]


def add(account):
    secret = foundation.CFDataCreate(None, account.encode(), len(account))
    return security.SecItemAdd(dictionary(name(account) + [(constant(security, "kSecValueData"), secret)]), None)


def find(account):
    result = reference()
    query = dictionary(name(account) + [(constant(security, "kSecReturnData"), constant(foundation, "kCFBooleanTrue"))])
    status = security.SecItemCopyMatching(query, ctypes.byref(result))
    if status != 0:
        return status
    return bytes(foundation.CFDataGetBytePtr(result)[: foundation.CFDataGetLength(result)]).decode()


def count_all():
    result = reference()
    query = dictionary(name("")[:2] + [
        (constant(security, "kSecMatchLimit"), constant(security, "kSecMatchLimitAll")),
        (constant(security, "kSecReturnAttributes"), constant(foundation, "kCFBooleanTrue")),
    ])
    status = security.SecItemCopyMatching(query, ctypes.byref(result))
    return foundation.CFArrayGetCount(result) if status == 0 else status


def expect(found, wanted):
    if found != wanted:
        sys.exit(f"{found!r} instead of {wanted!r}")


def work(number):
    """A worker counts the items of the parent, reads one, and adds one."""
    return count_all() >= 8, find(f"parent {number}"), add(f"worker {number}"), find(f"worker {number}")


# The pool ends its workers by a signal, which the program that starts this one may have blocked: it would wait for ever.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
for number in range(8):
    expect(add(f"parent {number}"), 0)
expect(subprocess.run(["true"], check=False).returncode, 0)
with multiprocessing.get_context("fork").Pool(4) as pool:
    answers = pool.map(work, range(8), chunksize=1)
for number, answer in enumerate(answers):
    expect(answer, (True, f"parent {number}", 0, f"worker {number}"))
expect(count_all(), 16)
for number in range(8):
    expect(find(f"parent {number}"), f"parent {number}")
    expect(find(f"worker {number}"), f"worker {number}")
print("all as it should be")
