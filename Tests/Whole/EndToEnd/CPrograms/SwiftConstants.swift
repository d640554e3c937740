import Security

/// The constants of the Swift face under their names. Deprecated ones come from where Latchkey itself takes them, or as
/// texts: a test may not use them without a warning.
enum SwiftConstants {
    static var all: [(String, CFString)] { items + queries + algorithms }
}
