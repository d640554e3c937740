//! Stores, finds and deletes an item, with declarations in the form of `security-framework-sys` and `core-foundation-sys`.

#![allow(non_upper_case_globals, non_camel_case_types)]

use std::os::raw::{c_char, c_void};
use std::ptr;

type CFTypeRef = *const c_void;
type CFIndex = isize;
type OSStatus = i32;

pub enum __CFString {}
type CFStringRef = *const __CFString;
pub enum __CFData {}
type CFDataRef = *const __CFData;
pub enum __CFDictionary {}
type CFDictionaryRef = *const __CFDictionary;
pub enum __CFBoolean {}
type CFBooleanRef = *const __CFBoolean;
pub enum OpaqueSecKeyRef {}
type SecKeyRef = *mut OpaqueSecKeyRef;

#[repr(C)]
pub struct Callbacks {
    _private: [u8; 0],
}

#[link(name = "Security")]
extern "C" {
    static kSecClass: CFStringRef;
    static kSecClassGenericPassword: CFStringRef;
    static kSecAttrAccount: CFStringRef;
    static kSecValueData: CFStringRef;
    static kSecReturnData: CFStringRef;
    static kSecAttrKeyType: CFStringRef;
    static kSecAttrKeyTypeECSECPrimeRandom: CFStringRef;
    static kSecAttrKeySizeInBits: CFStringRef;

    fn SecItemAdd(attributes: CFDictionaryRef, result: *mut CFTypeRef) -> OSStatus;
    fn SecItemCopyMatching(query: CFDictionaryRef, result: *mut CFTypeRef) -> OSStatus;
    fn SecItemDelete(query: CFDictionaryRef) -> OSStatus;
    fn SecKeyCreateRandomKey(parameters: CFDictionaryRef, error: *mut CFTypeRef) -> SecKeyRef;
    fn SecKeyGetBlockSize(key: SecKeyRef) -> usize;
}

#[link(name = "Foundation")]
extern "C" {
    static kCFBooleanTrue: CFBooleanRef;
    static kCFTypeDictionaryKeyCallBacks: Callbacks;
    static kCFTypeDictionaryValueCallBacks: Callbacks;

    fn CFStringCreateWithCString(allocator: CFTypeRef, text: *const c_char, encoding: u32) -> CFStringRef;
    fn CFDataCreate(allocator: CFTypeRef, bytes: *const u8, length: CFIndex) -> CFDataRef;
    fn CFDataGetBytePtr(data: CFDataRef) -> *const u8;
    fn CFDataGetLength(data: CFDataRef) -> CFIndex;
    fn CFNumberCreate(allocator: CFTypeRef, kind: CFIndex, value: *const c_void) -> CFTypeRef;
    fn CFDictionaryCreate(
        allocator: CFTypeRef, keys: *const CFTypeRef, values: *const CFTypeRef, count: CFIndex,
        key_callbacks: *const Callbacks, value_callbacks: *const Callbacks,
    ) -> CFDictionaryRef;
    fn CFRelease(object: CFTypeRef);
}

unsafe fn dictionary(pairs: &[(CFStringRef, CFTypeRef)]) -> CFDictionaryRef {
    let keys: Vec<CFTypeRef> = pairs.iter().map(|pair| pair.0 as CFTypeRef).collect();
    let values: Vec<CFTypeRef> = pairs.iter().map(|pair| pair.1).collect();
    CFDictionaryCreate(
        ptr::null(), keys.as_ptr(), values.as_ptr(), pairs.len() as CFIndex, &kCFTypeDictionaryKeyCallBacks,
        &kCFTypeDictionaryValueCallBacks,
    )
}

fn main() {
    unsafe {
        let account = CFStringCreateWithCString(ptr::null(), b"anna\0".as_ptr() as *const c_char, 0x0800_0100);
        let secret = CFDataCreate(ptr::null(), b"secret".as_ptr(), 6);
        let class = (kSecClass, kSecClassGenericPassword as CFTypeRef);
        let name = (kSecAttrAccount, account as CFTypeRef);
        let own = dictionary(&[class, name]);
        let item = dictionary(&[class, name, (kSecValueData, secret as CFTypeRef)]);
        let query = dictionary(&[class, name, (kSecReturnData, kCFBooleanTrue as CFTypeRef)]);
        assert_eq!(SecItemAdd(item, ptr::null_mut()), 0);
        assert_eq!(SecItemAdd(item, ptr::null_mut()), -25299);
        let mut result: CFTypeRef = ptr::null();
        assert_eq!(SecItemCopyMatching(query, &mut result), 0);
        let data = result as CFDataRef;
        let bytes = std::slice::from_raw_parts(CFDataGetBytePtr(data), CFDataGetLength(data) as usize);
        assert_eq!(bytes, b"secret");
        CFRelease(result);
        assert_eq!(SecItemDelete(own), 0);
        assert_eq!(SecItemCopyMatching(query, &mut result), -25300);

        let bits: i32 = 256;
        let size = CFNumberCreate(ptr::null(), 3, &bits as *const i32 as *const c_void);
        let parameters = dictionary(&[
            (kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom as CFTypeRef),
            (kSecAttrKeySizeInBits, size),
        ]);
        let mut error: CFTypeRef = ptr::null();
        let key = SecKeyCreateRandomKey(parameters, &mut error);
        assert!(!key.is_null() && error.is_null());
        assert_eq!(SecKeyGetBlockSize(key), 32);
        for object in [
            key as CFTypeRef, parameters as CFTypeRef, size, query as CFTypeRef, item as CFTypeRef, own as CFTypeRef,
            secret as CFTypeRef, account as CFTypeRef,
        ] {
            CFRelease(object);
        }
    }
    println!("all as it should be");
}
