"""Stores, finds and deletes an item through ctypes. Arguments: the paths of libSecurity.so.1 and of libFoundation.so."""

import ctypes
import sys

security = ctypes.CDLL(sys.argv[1])
foundation = ctypes.CDLL(sys.argv[2])
reference, code, index = ctypes.c_void_p, ctypes.c_int32, ctypes.c_long

security.SecItemAdd.argtypes = [reference, ctypes.POINTER(reference)]
security.SecItemCopyMatching.argtypes = [reference, ctypes.POINTER(reference)]
security.SecItemDelete.argtypes = [reference]
for function in (security.SecItemAdd, security.SecItemCopyMatching, security.SecItemDelete):
    function.restype = code
foundation.CFStringCreateWithCString.restype = reference
foundation.CFStringCreateWithCString.argtypes = [reference, ctypes.c_char_p, ctypes.c_uint32]
foundation.CFDataCreate.restype = reference
foundation.CFDataCreate.argtypes = [reference, ctypes.c_char_p, index]
foundation.CFDataGetBytePtr.restype = ctypes.POINTER(ctypes.c_ubyte)
foundation.CFDataGetBytePtr.argtypes = [reference]
foundation.CFDataGetLength.restype = index
foundation.CFDataGetLength.argtypes = [reference]
foundation.CFDictionaryCreate.restype = reference
foundation.CFDictionaryCreate.argtypes = [
    reference, ctypes.POINTER(reference), ctypes.POINTER(reference), index, reference, reference,
]
foundation.CFRelease.restype = None
foundation.CFRelease.argtypes = [reference]


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


def expect(found, wanted):
    if found != wanted:
        sys.exit(f"{found!r} instead of {wanted!r}")


account, secret = text("anna"), foundation.CFDataCreate(None, b"secret", 6)
name = [
    (constant(security, "kSecClass"), constant(security, "kSecClassGenericPassword")),
    (constant(security, "kSecAttrAccount"), account),
]
item = dictionary(name + [(constant(security, "kSecValueData"), secret)])
query = dictionary(name + [(constant(security, "kSecReturnData"), constant(foundation, "kCFBooleanTrue"))])
expect(security.SecItemAdd(item, None), 0)
expect(security.SecItemAdd(item, None), -25299)
result = reference()
expect(security.SecItemCopyMatching(query, ctypes.byref(result)), 0)
data = bytes(foundation.CFDataGetBytePtr(result)[: foundation.CFDataGetLength(result)])
expect(data, b"secret")
own = dictionary(name)
expect(security.SecItemDelete(own), 0)
expect(security.SecItemCopyMatching(query, ctypes.byref(result)), -25300)
for made in (own, query, item, secret, account):
    foundation.CFRelease(made)
print("all as it should be")
